"""Mirrors runner/adapters/faults/."""
