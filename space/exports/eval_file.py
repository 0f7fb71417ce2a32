"""The `.eval_results` file of a ranked cell of an open model: the bytes that `results export --format eval-results` writes."""

from typing import Final

from shared.exports.eval_results import EvalResultsFile, eval_results_file
from space.queries import cell as query
from space.readers.editions import unknown
from space.readers.mirror import Mirror

EVAL_RESULTS: Final = "eval-results"


def eval_file(cell_id: str, mirror: Mirror, space: str) -> EvalResultsFile:
    """Return the file of a cell that the Space at the address `space` shows; Refused with the reason where there is none."""
    cell = mirror.one(query.cell(cell_id))
    run = mirror.one(query.run(cell["run_id"])) if cell else None
    if cell is None or run is None:
        raise unknown("cell_id", cell_id)
    why = cell["withheld"] or (None if cell["stands"] else f"the catalog says that it is {cell['record']}")
    is_ranked = bool(cell["ranked"] and cell["is_ranked"] and why is None)
    reason = why or cell["unranked_reason"] or "a newer run of the same cell is ranked"
    return eval_results_file({**cell, "ranked": is_ranked, "unranked_reason": reason}, run, space)
