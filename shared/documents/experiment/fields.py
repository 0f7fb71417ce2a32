"""How a place in a document is written for people: matrix.models[0].revision."""

from collections.abc import Iterable


def field_text(path: Iterable[str | int]) -> str:
    """Return `path` as a person writes it."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text
