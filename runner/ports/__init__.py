"""What the runner needs of the outside: one Protocol per file, by noun."""
