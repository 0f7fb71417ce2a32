"""Stores as folders of files."""
