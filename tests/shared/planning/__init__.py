"""Mirrors shared/planning/."""
