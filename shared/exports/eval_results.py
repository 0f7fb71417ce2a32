"""The `.eval_results` file of one cell: what the Hub's own leaderboards read from a model's repository.

One file a ranked cell of an open model, in the format that the Hub documents (docs/hub/eval-results): dataset {id, task_id,
revision}, value, date, source {url, name}, notes. The bytes follow from the rows of cell and run and from where the
cell's page stands, so whoever writes the file writes the same. Called by `results export` and by the Space.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from shared.errors import Refused

FOLDER: Final = ".eval_results"
SOURCE_NAME: Final = "Seawall"
_REPOSITORY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_ADDRESS: Final = re.compile(r"https?://[^\s/?#]+(/[^\s?#]*)?")

type Row = Mapping[str, Any]


class EvalResultsFile(NamedTuple):
    """One file for the repository of one model."""

    model_repo: str
    path: str
    """Inside that repository."""
    data: bytes


def eval_results_file(cell: Row, run: Row, space: str) -> EvalResultsFile:
    """Return the file of `cell`, a row of table `cells`, whose run is `run`, a row of `runs`; `space` is the Space's address.

    Raises Refused EXPORT_NO_DATASET if the benchmark is no Dataset of the Hub, EXPORT_NOT_RANKED if the cell is not ranked, and
    EXPORT_NOT_OPEN if its model is no public repository at a commit.
    """
    _require(cell, run)
    if _ADDRESS.fullmatch(space) is None:
        message = "expected the address of the Space that shows these results, as https://owner-name.hf.space"
        raise Refused("EXPORT_NO_ADDRESS", message, field="space", way_out="Each entry links to the page of its cell there.")
    lines = [
        "- dataset:",
        f"    id: {_text(run['source_repo'])}",
        f"    task_id: {_text(run['eval_task_id'])}",
        f"    revision: {_text(run['source_revision'])}",
        f"  value: {_number(cell['score'])}",
        f"  date: {_text(_date(cell['completed_at']))}",
        "  source:",
        f"    url: {_text(cell_address(space, cell['cell_id']))}",
        f"    name: {_text(SOURCE_NAME)}",
        f"  notes: {_text(_notes(cell))}",
    ]
    name = "-".join(_word(part) for part in (cell["benchmark"], cell["agent_id"], cell["cell_digest"][:8]))
    return EvalResultsFile(cell["model_repo"], f"{FOLDER}/{name}.yaml", ("\n".join(lines) + "\n").encode("ascii"))


def cell_address(space: str, cell_id: str) -> str:
    """Return the address of a cell's page on the Space at `space`; it is kept for ever."""
    return f"{space.rstrip('/')}/cell?cell_id={cell_id}"


_SOURCES: Final = {
    "task_package": "task folders of the machine that ran it",
    "directory": "task folders of the machine that ran it",
    "git": "a Git repository",
    "package": "a package of Harbor's registry",
    "imported": "jobs that were imported",
}


def _require(cell: Row, run: Row) -> None:
    where = str(cell["cell_id"])
    if run["source_type"] != "hub" or not run["source_repo"] or not run["source_revision"]:
        came_from = _SOURCES.get(str(run["source_type"]), "no Dataset at a commit")
        message = f"the benchmark comes from {came_from}, and a leaderboard of the Hub belongs to a Dataset of the Hub"
        way_out = "Publish the tasks as a Dataset and run that, with benchmark.source of type hub."
        raise Refused("EXPORT_NO_DATASET", message, field=where, way_out=way_out)
    if not run["eval_task_id"]:
        message = "the benchmark's Dataset names no task of a leaderboard"
        way_out = "Give it an eval.yaml with a task id, and name that in benchmark.eval_task_id."
        raise Refused("EXPORT_NO_DATASET", message, field=where, way_out=way_out)
    if not cell["ranked"] or cell["score"] is None:
        message = f"the cell is not ranked: {cell['unranked_reason'] or 'it has no score'}"
        raise Refused("EXPORT_NOT_RANKED", message, field=where, way_out="Only ranked cells are exported.")
    if _REPOSITORY.fullmatch(cell["model_repo"]) is None or _COMMIT.fullmatch(cell["model_revision"]) is None:
        message = f"{cell['model_repo']} at {cell['model_revision']} is no repository at a commit"
        raise Refused("EXPORT_NOT_OPEN", message, field=where, way_out="Only open models have a repository to put results into.")


def _notes(cell: Row) -> str:
    parts = [
        f"agent {cell['agent_name']} {cell['agent_revision']}",
        f"{cell['repeats']} x {cell['tasks']} tasks",
        _interval(cell),
        f"sandbox {cell['sandbox']}",
    ]
    return "; ".join(part for part in parts if part)


def _interval(cell: Row) -> str:
    if cell["score_low"] is None or cell["score_high"] is None:
        return ""
    return f"95% interval {cell['score_low']:.4f} to {cell['score_high']:.4f}"


def _date(micros: int) -> str:
    return datetime.fromtimestamp(micros // 1_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _number(value: float) -> str:
    """Return the shortest text that every YAML reader takes for the same float: a mantissa without a point would be text."""
    mantissa, mark, exponent = repr(float(value)).partition("e")
    return f"{mantissa}{mark}{exponent}" if "." in mantissa or not mark else f"{mantissa}.0e{exponent}"


def _text(value: str) -> str:
    """Return `value` as a double-quoted scalar of plain ASCII, which means the same to YAML 1.1 and 1.2."""
    return '"' + "".join(map(_escaped, value)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if " " <= character <= "~" else f"\\U{ord(character):08x}"


def _word(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._]+", "-", text).strip("-.") or "x"
