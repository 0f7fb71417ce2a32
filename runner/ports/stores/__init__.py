"""Where bytes, evidence, results and models are kept."""
