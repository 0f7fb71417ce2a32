"""Tests of space.pages.training."""
