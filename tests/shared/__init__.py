"""Mirrors shared/."""
