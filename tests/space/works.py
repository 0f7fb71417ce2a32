"""A published folder with one of each thing that choosing between cells must tell apart.

Two deployments in one square of the grid, single-run and repeated editions, a rerun a month later on another Harbor, other kinds
than complete, cells lost, withdrawn and superseded with a successor, another host, runs that were kept private.
"""

import hashlib
import random
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.synthetic import START, synthetic_run
from benchmarks.synthetic_results import write_results
from shared.outcomes import AttemptEnd, Category, Label, Observation, Outcome
from shared.tables.catalog import TABLE
from shared.tables.published import NO_USAGE, CellFacts, PublishedRun, TrialFacts, Usage
from tests.space.publishing import CATALOG, change_table

BENCHMARK: Final = "harbour-works"
DATASET: Final = f"example/{BENCHMARK}"
MONTH: Final = 30 * 86_400_000_000


class Made(NamedTuple):
    """One cell: who, how able (1 solves all), what a trial costs in micro-USD, and how it was served."""

    model: str
    agent: str
    skill: float
    cost: int | None
    deployment: str = "server"
    hardware: str | None = "l4x1"
    provider: str | None = None
    lost: int = 0


FIRST: Final = (
    Made("example/Coral-32B", "shell", 0.95, 40_000, hardware="a100-large"),
    Made("example/Coral-32B", "shell", 0.93, 9_000, "provider", None, "example-cloud"),
    Made("example/coral-7b", "shell", 0.7, 3_000),
    Made("example/coral-7b", "planner", 0.6, 5_000, lost=4),
    Made("example/kelp-1b", "planner", 0.2, None),
    Made("example/kelp-1b", "shell", 0.3, 400),
    Made("example/tern-3b", "planner", 0.4, 700),
    Made("none", "oracle", 1.0, None, "none", None),
)
KINDS: Final = ("composite", "manual", "partial")


def publish_works(root: Path) -> list[PublishedRun]:
    """Publish all runs below `root`; return the first, its rerun, another edition, another host, then the other kinds."""
    first = made_run(1, FIRST)
    rerun = replace(
        made_run(2, (FIRST[2]._replace(skill=0.85), FIRST[4]), at=START + MONTH), harbor_version="0.26.1", prices_sha256="f" * 64
    )
    single = made_run(3, (FIRST[0], FIRST[2]), repeats=1)
    host = made_run(4, (replace_model(FIRST[2], "example/far-7b"),), host="another")
    others = [
        with_kind(made_run(5 + place, (replace_model(FIRST[2], f"example/{kind}-7b"),)), kind) for place, kind in enumerate(KINDS)
    ]
    withdrawn, superseded = first.cells[4].identity.cell_id, first.cells[6].identity.cell_id
    again = rerun.cells[1].identity.cell_id
    records = [
        *(
            {"cell_id": name, "record": "withdrawn", "actor": "example", "reason": "another prompt"}
            for name in (withdrawn, again)
        ),
        {
            "cell_id": superseded,
            "record": "superseded",
            "reason": "a wrong limit",
            "replaced_by": first.cells[5].identity.cell_id,
        },
    ]
    runs = [first, rerun, single, host, *others]
    write_results(root, runs, records)
    keep_private(root, first.cells[2].identity.cell_digest, 2)
    return runs


def made_run(
    number: int, made: tuple[Made, ...], *, repeats: int = 2, tasks: int = 12, at: int = START, host: str = "host"
) -> PublishedRun:
    """Return run `number` with a cell for each of `made`."""
    run = synthetic_run(number, cells=len(made), tasks=tasks, repeats=repeats, benchmark=BENCHMARK)
    cells = tuple(_cell(cell, each, repeats, at, host) for cell, each in zip(run.cells, made, strict=True))
    quality = Label.CLEAN if all(cell.quality == Label.CLEAN for cell in cells) else Label.DEGRADED
    scope = replace(run.scope, quality=quality.value)
    return replace(run, cells=cells, scope=scope, submitted_at=at, completed_at=at + 3_600_000_000)


def replace_model(made: Made, model: str) -> Made:
    """Return `made` with another model."""
    return made._replace(model=model)


def with_kind(run: PublishedRun, kind: str) -> PublishedRun:
    """Return `run` as one of another kind than complete."""
    return replace(run, scope=replace(run.scope, kind=kind))


def keep_private(root: Path, cell_digest: str, runs: int) -> None:
    """Append a record `private` for each of `runs` of a cell: its digest and the time, everything else empty."""
    nothing: dict[str, Any] = {"text": "", "int": 0, "float": 0.0, "bool": False, "time": 0, "texts": []}

    def add(rows: list[dict[str, Any]]) -> None:
        when = {"completed_at": rows[0]["completed_at"], "recorded_at": rows[0]["recorded_at"]}
        empty = {column.name: None if column.is_nullable else nothing[column.kind] for column in TABLE.columns}
        for _ in range(runs):
            own = {"schema_version": 1, "record": "private", "cell_digest": cell_digest, "sequence": len(rows) + 1}
            rows.append({**empty, **when, **own})

    change_table(root, "catalog", add, CATALOG)


def _cell(cell: CellFacts, made: Made, repeats: int, at: int, host: str) -> CellFacts:
    has_model = made.model != "none"
    name = f"{made.model} {made.agent} {made.deployment}"
    identity = replace(
        cell.identity,
        cell_digest=_digest("cell", name, str(repeats), host),
        model_id=made.model.rpartition("/")[2],
        model_repo=made.model,
        model_revision=_digest(made.model)[:40] if has_model else "none",
        deployment_id=made.deployment,
        deployment_kind=made.deployment,
        provider=made.provider,
        hardware=made.hardware,
        agent_id=made.agent,
        agent_name=made.agent,
    )
    chance = random.Random(f"{name} {repeats} {at}")  # noqa: S311 - the same made-up trials every time
    trials = tuple(_trial(trial, made, chance, at, is_lost=place < made.lost) for place, trial in enumerate(cell.trials))
    quality = Label.CLEAN if all(trial.outcome is Outcome.SCORED for trial in trials) else Label.DEGRADED
    return replace(
        cell,
        identity=identity,
        trials=trials,
        quality=quality.value,
        needs_model=has_model,
        engine="vllm" if made.deployment == "server" else None,
        engine_version="0.32.0" if made.deployment == "server" else None,
        host_packages_sha256=_digest("host", host),
    )


def _trial(trial: TrialFacts, made: Made, chance: random.Random, at: int, *, is_lost: bool) -> TrialFacts:
    is_solved, seconds = chance.random() < made.skill, chance.randrange(61, 500)
    cost = None if made.cost is None else made.cost + chance.randrange(made.cost)
    usage = NO_USAGE if cost is None else Usage(Observation.OBSERVED, 1_000, 500, 100, cost)
    begin = at + chance.randrange(1_000_000_000)
    attempt = replace(
        trial.attempts[-1],
        ordinal=1,
        end=AttemptEnd.SUCCEEDED,
        category=None,
        usage=usage,
        started_at=begin,
        finished_at=begin + seconds * 1_000_000,
        artifacts=(),
        metrics=trial.attempts[-1].metrics[:1] if made.deployment == "provider" else trial.attempts[-1].metrics[:2],
    )
    if not is_lost:
        scored = replace(trial, outcome=Outcome.SCORED, reward=float(is_solved), is_passed=is_solved)
        return replace(scored, selected=attempt, attempts=(attempt,))
    lost = replace(attempt, end=AttemptEnd.LOST, category=Category.LOST, reason_code="HOST_LOST", bundle_sha256=None)
    lost = replace(lost, metrics=(), usage=NO_USAGE, finished_at=None, phase="agent")
    exhausted = Outcome.INFRASTRUCTURE_EXHAUSTED
    return replace(trial, outcome=exhausted, reward=None, is_passed=None, selected=None, attempts=(lost,))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
