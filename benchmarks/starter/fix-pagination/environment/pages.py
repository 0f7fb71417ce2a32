"""Splits a list of entries into pages."""


def page_count(total, size):
    """Return how many pages of `size` hold `total` entries, at least 1."""
    return total // size


def page(entries, number, size):
    """Return the entries of page `number`, counted from 1."""
    if number > page_count(len(entries), size):
        raise IndexError("no such page")
    start = number * size
    return entries[start : start + size]
