"""Tests of space.components.measured."""
