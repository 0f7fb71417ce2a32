"""Made-up runs of any size for benchmarks and tests: deterministic from a seed, shaped like real ones, never published."""

import hashlib
import random

from shared.outcomes import AttemptEnd, Category, Label, Observation, Outcome
from shared.tables.published import (
    Artifact,
    AttemptFacts,
    CellFacts,
    Identity,
    Metric,
    PublishedRun,
    Scope,
    Trace,
    TrialFacts,
    Usage,
)

START = 1_790_000_000_000_000
FILES = (("harbor/result.json", "result", "application/json"), ("artifacts.tar.gz", "archive", "application/gzip"))


def synthetic_run(
    number: int,
    *,
    cells: int = 1,
    tasks: int = 100,
    repeats: int = 5,
    seed: int = 7,
    benchmark: str = "synthetic",
    metrics: int | None = None,
) -> PublishedRun:
    """Return run `number` with `cells` x `tasks` x `repeats` trials of a made-up benchmark, `metrics` (2 or 3) an attempt."""
    chance = random.Random(f"{seed}-{number}")
    run_id = _id("run", number)
    made = tuple(_cell(chance, number, index, run_id, (tasks, repeats), metrics=metrics) for index in range(cells))
    quality = Label.CLEAN if all(cell.quality == Label.CLEAN for cell in made) else Label.DEGRADED
    return PublishedRun(
        trace=Trace(benchmark, run_id, f"runs/{run_id}", _hex("root", number), _hex("lock", number), f"{number:08d}"),
        scope=Scope(
            kind="complete",
            quality=quality.value,
            role="final",
            series="synthetic",
            benchmark_digest=_hex(benchmark),
            tasks_sha256=_hex(benchmark, "tasks", tasks),
            tasks=tasks,
            repeats=repeats,
            sandbox="local",
            trial_seconds=600,
            agent_setup_multiplier="1",
        ),
        cells=made,
        experiment=f"synthetic-{number}",
        plan_digest=_hex("plan", number),
        manifest_sha256=_hex("manifest", number),
        prices_sha256=_hex("prices"),
        requested_by="synthetic",
        source_type="directory",
        waves=1,
        build_digest=_hex("build"),
        harbor_version="0.26.0",
        harbor_lock_sha256=_hex("harbor"),
        submitted_at=START + number * 3_600_000_000,
        completed_at=START + number * 3_600_000_000 + 1_800_000_000,
    )


def _cell(
    chance: random.Random, number: int, index: int, run_id: str, size: tuple[int, int], *, metrics: int | None
) -> CellFacts:
    tasks, repeats = size
    skill = chance.uniform(0.15, 0.9)
    model, agent = f"model-{number % 40}", f"agent-{index % 5 or number % 5}"
    cell = _id("cell", run_id, index)
    trials = tuple(
        _trial(chance, cell, (task, repeat), (skill, START + number * 3_600_000_000), metrics=metrics)
        for repeat in range(1, repeats + 1)
        for task in range(tasks)
    )
    is_clean = all(trial.outcome is Outcome.SCORED for trial in trials)
    return CellFacts(
        identity=Identity(
            cell_id=cell,
            cell_digest=_hex("cell", number, index),
            edition=_hex("edition", tasks, repeats),
            model_id=model,
            model_repo=f"example/{model}",
            model_revision=_hex(model)[:40],
            deployment_id="server",
            deployment_kind="server",
            agent_id=agent,
            agent_name=agent,
            agent_revision="1.0.0",
        ),
        quality=(Label.CLEAN if is_clean else Label.DEGRADED).value,
        trials=trials,
        weights_format="safetensors",
        deployment_digest=_hex("deployment", model),
        deployment_spec_digest=_hex("spec", model),
        concurrency=8,
        primary_reward="reward",
        pass_threshold=1.0,
        reward_range=(0.0, 1.0),
        api="chat_completions",
        host_release="synthetic",
        host_packages_sha256=_hex("host"),
    )


def _trial(
    chance: random.Random, cell: str, where: tuple[int, int], how: tuple[float, int], *, metrics: int | None
) -> TrialFacts:
    task, repeat = where
    skill, start = how
    trial = _id("trial", cell, task, repeat)
    draw = chance.random()
    attempts = (_attempt(chance, trial, 1, (skill, task), start, metrics=metrics),)
    outcome = Outcome.SCORED
    if draw < 0.3 and draw > 0.01:
        attempts = (_lost(trial, start), _attempt(chance, trial, 2, (skill, task), start, metrics=metrics))
    elif draw <= 0.01:
        attempts, outcome = (_lost(trial, start),), Outcome.INFRASTRUCTURE_EXHAUSTED
    is_scored = outcome is Outcome.SCORED
    solved = chance.random() < skill * (1.3 - (task % 10) / 10)
    return TrialFacts(
        trial_id=trial,
        task_name=f"task-{task:04d}",
        task_digest=_hex("task", task),
        repeat=repeat,
        outcome=outcome,
        reward=float(solved) if is_scored else None,
        is_passed=solved if is_scored else None,
        selected=attempts[-1] if is_scored else None,
        attempts=attempts,
    )


def _lost(trial: str, start: int) -> AttemptFacts:
    return AttemptFacts(
        _id("att", trial, 1), 1, "wave-synthetic", "local", AttemptEnd.LOST, 1, category=Category.LOST, started_at=start
    )


def _attempt(
    chance: random.Random, trial: str, ordinal: int, what: tuple[float, int], start: int, *, metrics: int | None
) -> AttemptFacts:
    skill, task = what
    attempt = _id("att", trial, ordinal)
    begin = start + chance.randrange(1_000_000_000)
    tokens = chance.randrange(500, 20_000)
    usage = Usage(Observation.OBSERVED, tokens, tokens // 2, int(tokens * skill / 4), tokens * 3)
    return AttemptFacts(
        attempt_id=attempt,
        ordinal=ordinal,
        wave_id="wave-synthetic",
        runtime="local",
        end=AttemptEnd.SUCCEEDED,
        classification_version=1,
        phase="verifier",
        job_id="job-synthetic",
        bundle_sha256=_hex("bundle", attempt),
        started_at=begin,
        finished_at=begin + chance.randrange(1_000_000, 300_000_000),
        usage=usage,
        metrics=_metrics(chance, usage)[: 2 + task % 2 if metrics is None else metrics],
        artifacts=tuple(Artifact(path, kind, _hex(path, attempt), 2_000 + task, "loose", media) for path, kind, media in FILES),
    )


def _metrics(chance: random.Random, usage: Usage) -> tuple[Metric, ...]:
    seconds = chance.uniform(1, 200)
    return (
        Metric("input_tokens", float(usage.input_tokens or 0), Observation.OBSERVED, "token"),
        Metric("output_tokens", float(usage.output_tokens or 0), Observation.OBSERVED, "token"),
        Metric("agent_seconds", seconds, Observation.OBSERVED, "second"),
        Metric("cached_tokens", float(usage.cached_tokens or 0), Observation.OBSERVED, "token"),
        Metric("reward.reward", seconds / 200, Observation.OBSERVED, "reward"),
    )


def _hex(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _id(prefix: str, *parts: object) -> str:
    return f"{prefix}-{_hex(prefix, *parts)[:32]}"
