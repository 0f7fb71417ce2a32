"""Ports to what computes: jobs, endpoints, and the harness that runs trials."""
