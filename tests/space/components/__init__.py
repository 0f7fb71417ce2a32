"""Tests of the Space."""
