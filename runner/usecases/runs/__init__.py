"""Runs: planning, submitting, carrying out, cancelling, sealing."""
