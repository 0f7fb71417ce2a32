"""Counts as people read them: `1 task`, `2 tasks`, `1,200 tasks`."""


def counted(count: int, what: str, many: str = "") -> str:
    """Return `count` with the name of the thing, in the plural (`many`, or with an s) unless it is one."""
    return f"{count:,} {what if count == 1 else many or what + 's'}"
