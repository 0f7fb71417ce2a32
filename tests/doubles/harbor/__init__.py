"""A trial host without Harbor: fast, scripted, over the real lines between a worker and its host."""
