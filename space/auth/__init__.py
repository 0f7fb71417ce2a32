"""Signing in, and what a signed-in person is here."""
