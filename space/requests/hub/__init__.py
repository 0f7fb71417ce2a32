"""The inbox on the Hub: what waits to be written, when, and what became of it."""
