"""What the pages about trainings and releases ask, of tables that a catalog may not hold yet.

A catalog without the table answers with no row under the same names, so a list is empty and says so. A receipt is shown with a
training only where it is about exactly the training's trainer part: a qualification of another one proves nothing about it.
"""

from collections.abc import Collection, Sequence

from space.queries.statement import Statement


def rows(
    table: str, columns: Sequence[str], published: Collection[str], *, key: str, newest: str, key_value: str = ""
) -> Statement:
    """Return the rows of `table`, newest first; those of one `key_value` where given; none where it is not `published`."""
    if table not in published:
        return _nothing(columns, key)
    where = f" WHERE {key} = ?" if key_value else ""
    names = ", ".join(columns)
    sql = f"SELECT {names} FROM {table}{where} ORDER BY {newest} DESC, {', '.join(dict.fromkeys((key, *columns)))}"  # noqa: S608 - declared names
    return Statement(sql, (key_value,) if key_value else ())


def trainings(columns: Sequence[str], published: Collection[str], *, training_id: str = "") -> Statement:
    """Return trainings with the qualification that their receipt names, `receipt_state` says whether it is about their build."""
    if "trainings" not in published:
        return _nothing((*columns, "receipt_state", "qualification_id", "failed_checks"), "training_id")
    names = ", ".join(f"t.{column}" for column in columns)
    matched = "q.receipt = t.receipt AND q.trainer_part = t.trainer_part"
    joined = f"LEFT JOIN qualifications q ON {matched}" if "qualifications" in published else ""
    state = (
        "CASE WHEN q.qualification_id IS NULL THEN 'no_receipt' ELSE q.state END AS receipt_state, q.qualification_id, "
        "q.failed_checks"
        if joined
        else "'no_receipt' AS receipt_state, NULL::VARCHAR AS qualification_id, NULL::VARCHAR[] AS failed_checks"
    )
    where = " WHERE t.training_id = ?" if training_id else ""
    sql = f"SELECT {names}, {state} FROM trainings t {joined}{where} ORDER BY t.finished_at DESC NULLS FIRST, t.training_id"  # noqa: S608 - declared names
    return Statement(sql, (training_id,) if training_id else ())


def _nothing(columns: Sequence[str], key: str) -> Statement:
    names = ", ".join(f"NULL::VARCHAR AS {column}" for column in columns)
    return Statement(f"SELECT {names} WHERE false ORDER BY {key}")
