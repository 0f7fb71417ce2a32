"""How an import is told: what it consists of and every oddity by name, as lines for people and as plain JSON."""

from collections import Counter
from typing import Any, Final

from shared.documents.evidence.import_record import ImportedCell, ImportRecord
from shared.plural import counted

SHOWN: Final = 20


def import_lines(record: ImportRecord) -> list[str]:
    """Return the lines that a person reads: cells, counts, then the oddities, most frequent first."""
    found = sum(trial.result_sha256 is not None for trial in record.trials)
    shape = " x ".join(
        (counted(len(record.cells), "cell"), counted(len(record.tasks), "task"), counted(record.repeats, "repeat"))
    )
    lines = [
        f"import {record.run_id} of {record.benchmark}: manual, never ranked",
        f"  {shape}; {found} of {counted(len(record.trials), 'trial')} found",
    ]
    lines += [_cell_line(each) for each in record.cells[:SHOWN]]
    if len(record.cells) > SHOWN:
        lines.append(f"  .. and {counted(len(record.cells) - SHOWN, 'more cell')}")
    if not record.is_whole:
        lines.append("  not whole: trials of a job are missing, so no score is published")
    counts = Counter(each.code for each in record.oddities)
    lines += [f"  {count} x {code}" for code, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))]
    lines += [f"  {each.place or record.benchmark}: {each.code}: {each.message}" for each in record.oddities[:SHOWN]]
    if len(record.oddities) > SHOWN:
        lines.append(f"  .. and {len(record.oddities) - SHOWN} more; --json lists all")
    return lines


def _cell_line(cell: ImportedCell) -> str:
    return f"  {cell.agent_name} {cell.agent_version}, {cell.model_name or 'no model'}, {cell.sandbox}"


def import_result(record: ImportRecord) -> dict[str, Any]:
    """Return what a program reads: the record, without its list of trials."""
    document = record.model_dump(mode="json")
    trials = document.pop("trials")
    return {**document, "trials": len(trials), "found": sum(trial["result_sha256"] is not None for trial in trials)}
