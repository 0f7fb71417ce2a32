#!/bin/bash
set -euo pipefail
cat > /app/pages.py <<'EOF'
"""Splits a list of entries into pages."""


def page_count(total, size):
    """Return how many pages of `size` hold `total` entries, at least 1."""
    return max(1, -(-total // size))


def page(entries, number, size):
    """Return the entries of page `number`, counted from 1."""
    if number < 1 or size < 1:
        raise ValueError("number and size start at 1")
    start = (number - 1) * size
    return entries[start : start + size]
EOF
