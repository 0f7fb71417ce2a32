"""Mirrors runner/."""
