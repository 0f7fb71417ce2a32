"""Tests of space/requests."""
