"""Tests of results that were made elsewhere."""
