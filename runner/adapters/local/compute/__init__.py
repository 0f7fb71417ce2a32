"""Compute on this machine: processes started here."""
