"""What a newer catalog says of cells that an earlier revision shows."""

from collections.abc import Sequence

from space.queries.statement import Statement


def last_sequence() -> Statement:
    """Return the newest sequence of a catalog, as `last`."""
    return Statement("SELECT max(sequence) AS last FROM catalog")


def cell_ids() -> Statement:
    """Return the id of every cell."""
    return Statement("SELECT cell_id FROM cell ORDER BY cell_id")


def later(sequence: int, cells: Sequence[str]) -> Statement:
    """Return the newest record of each of `cells` that was made after `sequence`."""
    return Statement(
        "SELECT cell_id, record, reason, replaced_by, recorded_at FROM catalog WHERE sequence > ? "
        "AND list_contains(?::VARCHAR[], cell_id) "
        "QUALIFY row_number() OVER (PARTITION BY publication_id, cell_id ORDER BY sequence DESC) = 1 ORDER BY sequence DESC",
        (sequence, list(cells)),
    )
