"""Performance figures, each as a ratio to a baseline measured in the same process on the same data."""
