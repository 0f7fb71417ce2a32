"""Mirrors shared/documents/experiment/."""
