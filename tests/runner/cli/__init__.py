"""Mirrors the source tree."""
