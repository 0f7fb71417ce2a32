"""Requests: what becomes of each when a pass takes it."""
