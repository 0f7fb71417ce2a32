"""Tests of space.listings.trials."""
