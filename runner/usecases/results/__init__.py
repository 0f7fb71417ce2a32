"""Use cases of published results: publish, rebuild, audit, verify, list."""
