"""Mirrors runner/adapters/."""
