"""Where published tables come from, and the verified mirror that every page reads; the one user of DuckDB."""
