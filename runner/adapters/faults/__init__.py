"""Wrappers that make any adapter answer as a failing store would."""
