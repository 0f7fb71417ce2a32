"""Real processes, killed at each named yield point; a repeat must end in the same bytes."""
