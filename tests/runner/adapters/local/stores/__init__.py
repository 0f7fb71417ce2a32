"""Mirrors runner/adapters/local/stores/."""
