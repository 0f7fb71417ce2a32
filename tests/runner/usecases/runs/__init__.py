"""Mirrors runner/usecases/runs/."""
