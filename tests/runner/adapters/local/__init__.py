"""Mirrors runner/adapters/local/."""
