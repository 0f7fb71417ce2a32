"""Tests of space/pages/choosing."""
