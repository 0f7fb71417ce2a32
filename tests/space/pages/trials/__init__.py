"""Tests of space.pages.trials."""
