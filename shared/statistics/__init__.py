"""Honest statistics of benchmark cells: pure functions of the standard library."""
