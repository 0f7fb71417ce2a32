"""Custom Harbor agents, one folder each, loaded by Harbor through their import path."""
