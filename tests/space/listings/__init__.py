"""Tests of space/listings."""
