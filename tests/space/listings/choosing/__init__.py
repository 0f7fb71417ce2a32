"""Tests of space/listings/choosing."""
