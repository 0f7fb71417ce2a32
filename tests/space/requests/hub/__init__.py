"""Tests of space/requests/hub."""
