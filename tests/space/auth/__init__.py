"""Tests of space/auth."""
