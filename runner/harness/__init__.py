"""The Harbor boundary: what starts Harbor's trials, reads their results and says what a failure was."""
