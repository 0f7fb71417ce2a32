"""Tests of space/exports."""
