"""Mirrors shared/documents/."""
