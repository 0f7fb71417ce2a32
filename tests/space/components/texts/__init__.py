"""Tests of space.components.texts."""
