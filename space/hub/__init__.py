"""The way to the Hub: one doorway, what its answers mean, and a Dataset there. Nothing here knows what is stored."""
