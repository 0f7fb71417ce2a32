"""Tests of space.queries.training."""
