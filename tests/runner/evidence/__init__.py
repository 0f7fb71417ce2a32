"""Mirrors runner/evidence/."""
