"""A small real language model on this machine, for demonstrations and tests without a network."""
