"""Tests of space.components.choosing."""
