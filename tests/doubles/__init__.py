"""Stand-in servers for tests; no product code."""
