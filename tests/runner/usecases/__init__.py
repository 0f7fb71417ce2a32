"""Mirrors runner/usecases/."""
