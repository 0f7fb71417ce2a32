"""Tests of space/hub."""
