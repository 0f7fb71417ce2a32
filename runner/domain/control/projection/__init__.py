"""The fold: from a journal to the state of its subject."""
