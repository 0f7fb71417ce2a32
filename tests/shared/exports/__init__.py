"""Tests of what leaves Seawall for other programs."""
