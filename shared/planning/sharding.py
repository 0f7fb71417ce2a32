"""The order of trials, their keys, and the cut into shards.

Trials have a plan index from 0: cells in the plan's order, within a cell by (repeat, task name), so that repeats of a task never
sit side by side. A trial's key is text, `<cell digest>/<repeat>/<task name>`; the digest of a shard is that of its keys, each
followed by a newline. Run-scoped ids follow from a key when they are needed. Keys are joined a stretch at a time: a plan of a
million trials costs a fraction of a second and never holds its trials.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shared.digests import canonical_json, sha256_lines
from shared.documents.document import read_json
from shared.documents.plan import PlanHead, PlannedCell, PlannedTask, Shard, ShardRoot
from shared.errors import BadInput


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """One trial of a plan: its index, cell, task, 1-based repeat and key."""

    index: int
    cell_index: int
    cell: PlannedCell
    task: PlannedTask
    repeat: int
    key: str


def trial_key(cell_digest: str, task_name: str, repeat: int) -> str:
    """Return the plan's key of a trial, the same for equal cells of any two plans."""
    return f"{cell_digest}/{repeat}/{task_name}"


def trial_at(head: PlanHead, index: int) -> PlannedTrial:
    """Return the trial with the plan index `index`; raise IndexError beyond the plan."""
    if not 0 <= index < head.arithmetic.trials:
        raise IndexError(f"the plan has {head.arithmetic.trials} trials, none has the index {index}")
    cell_index, within = divmod(index, head.trials_per_cell)
    repeat_index, task_index = divmod(within, len(head.tasks))
    cell, task, repeat = head.cells[cell_index], head.tasks[task_index], repeat_index + 1
    return PlannedTrial(index, cell_index, cell, task, repeat, trial_key(cell.cell_digest, task.name, repeat))


def trials_of(head: PlanHead, shard: Shard) -> Iterator[PlannedTrial]:
    """Yield the trials of `shard` in order."""
    for index in range(shard.first, shard.first + shard.count):
        yield trial_at(head, index)


def cut_shards(cell_digests: Sequence[str], task_names: Sequence[str], repeats: int, trials_per_shard: int) -> list[Shard]:
    """Return the shards of all cells in plan order; no shard spans two cells."""
    size = len(task_names) * repeats
    shards: list[Shard] = []
    for cell, cell_digest in enumerate(cell_digests):
        for start in range(0, size, trials_per_shard):
            end = min(start + trials_per_shard, size)
            shards.append(Shard(cell, cell * size + start, end - start, _digest(cell_digest, task_names, start, end)))
    return shards


def shard_line(shard: Shard) -> bytes:
    """Return the line of shards.jsonl for `shard`, without its newline."""
    return canonical_json([shard.cell, shard.first, shard.count, shard.digest])


def shard_root(shards: Sequence[Shard]) -> ShardRoot:
    """Return the digest of shards.jsonl and its number of lines."""
    return ShardRoot(count=len(shards), sha256=sha256_lines(map(shard_line, shards)))


def read_shards(data: bytes) -> Iterator[Shard]:
    """Yield the shards of shards.jsonl in order; raise BadInput `PLAN_INVALID` for a line that is none."""
    for number, line in enumerate(data.splitlines(), start=1):
        match read_json(line, what=f"line {number} of shards.jsonl", code="PLAN_INVALID"):
            case [int(cell), int(first), int(count), str(digest)]:
                yield Shard(cell, first, count, digest)
            case _:
                raise BadInput("PLAN_INVALID", f"line {number} of shards.jsonl is no shard.", way_out="Fetch it again.")


def _digest(cell_digest: str, task_names: Sequence[str], start: int, end: int) -> str:
    running = hashlib.sha256()
    while start < end:
        repeat_index, task_index = divmod(start, len(task_names))
        names = task_names[task_index : task_index + end - start]
        prefix = trial_key(cell_digest, "", repeat_index + 1)
        running.update((prefix + f"\n{prefix}".join(names) + "\n").encode())
        start += len(names)
    return running.hexdigest()
