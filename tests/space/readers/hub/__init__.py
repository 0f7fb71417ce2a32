"""Tests of space/readers/hub."""
