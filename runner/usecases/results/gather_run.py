"""Gathering the facts of a sealed run: everything its rows will say, from journal and sealed evidence alone.

The journal says which attempts there were and which was selected; rewards, exceptions, usage, times and files are read from the
sealed bundles and classified again. Nothing else is read, so whoever gathers gets equal facts.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from runner.domain.control.envelope import utc_ms
from runner.domain.control.projection.state import RunProjection
from runner.domain.control.projection.trials import Trial
from runner.evidence.markers import markers_at, read_marker
from runner.evidence.reading import read_small
from runner.harness.reader import TrialResult
from runner.ports.stores.evidence_store import EvidenceStore
from runner.usecases.attempts.attempt_place import attempt_place
from runner.usecases.attempts.attempt_reading import exception_of, is_passed, scoring_of
from runner.usecases.attempts.sealed_attempts import StoredAttempt, read_sealed_attempt
from runner.usecases.results.gather_cell import CellSource, cell_facts
from runner.usecases.runs.seal_run import end_of_attempt, outcome_of
from shared import paths, versions
from shared.documents.evidence.attempt import AttemptDocument
from shared.documents.evidence.bundle import InventoryFile
from shared.documents.evidence.run_summary import RunSummary
from shared.documents.plan import PlanHead
from shared.documents.run_lock import RunLock
from shared.errors import Refused
from shared.ids import RunId, attempt_id, cell_id, trial_id
from shared.outcomes import AttemptEnd, Category, Label, Observation, Outcome
from shared.planning.sharding import PlannedTrial, trial_at
from shared.states import AttemptState
from shared.tables.published import (
    NO_USAGE,
    Artifact,
    AttemptFacts,
    Metric,
    PublishedRun,
    Scope,
    Trace,
    TrialFacts,
    Usage,
)

COMPLETE = "complete"
YEARS = range(1970, 9999)
"""Of a time that a result file tells: what every reader of a published table can hold in every time zone."""
MEDIA_TYPES = {".json": "application/json", ".jsonl": "application/jsonl", ".gz": "application/gzip", ".log": "text/plain"}


@dataclass(frozen=True, slots=True)
class GatherWorld:
    """What gathering one run needs."""

    run_id: RunId
    state: RunProjection
    head: PlanHead
    lock: RunLock
    evidence: EvidenceStore
    control_commit: str
    """The chain of the journal where the run ended: equal for every publisher, or a killed one's files could not be adopted."""


def gather_run(world: GatherWorld) -> PublishedRun:
    """Return the facts of the sealed run; raise Refused if its root is not sealed or contradicts the lock."""
    root, summary = _root(world)
    label = summary.label
    scope = _scope(world, label)
    trials = [_trial_facts(world, index) for index in range(world.state.trials.count)]
    size = world.head.trials_per_cell
    cells = tuple(
        cell_facts(
            CellSource(
                cell_id(world.run_id, cell.cell_digest), cell, tuple(trials[number * size : (number + 1) * size]), world.run_id
            ),
            world.head,
            world.evidence,
        )
        for number, cell in enumerate(world.head.cells)
    )
    lock, run, source = world.lock, world.state.run, world.head.benchmark.source_lock
    return PublishedRun(
        trace=Trace(
            benchmark=world.head.benchmark.name,
            run_id=world.run_id,
            evidence_prefix=paths.run_prefix(world.run_id),
            evidence_sha256=root,
            run_lock_sha256=lock.digest,
            control_commit=world.control_commit,
        ),
        scope=scope,
        cells=cells,
        experiment=world.head.experiment,
        plan_digest=lock.plan_digest,
        manifest_sha256=lock.manifest_sha256,
        prices_sha256=lock.prices_sha256,
        requested_by=lock.requested_by,
        source_type=str(source.get("type")),
        waves=len(run.waves),
        build_digest=lock.build,
        harbor_version=lock.harbor.version,
        harbor_lock_sha256=lock.harbor.lock_sha256,
        submitted_at=_micros(lock.submitted_at),
        completed_at=utc_ms(run.drains_since) * 1000,
        approval="single" if run.is_single_approval else "other" if run.approved_by else "not_needed",
        approved_by=run.approved_by or None,
        source_repo=_text(source.get("dataset") or source.get("repository")),
        source_revision=_text(source.get("revision")),
        eval_task_id=world.head.benchmark.eval_task_id,
        estimated_cost_usd_micros=world.head.arithmetic.expected_cost_usd_micros,
    )


def _root(world: GatherWorld) -> tuple[str, RunSummary]:
    prefix = paths.run_prefix(world.run_id)
    _, marker = read_marker(world.evidence, prefix)
    summary = RunSummary.from_bytes(read_small(world.evidence, f"{prefix}/{paths.RUN_SUMMARY}"))
    if summary.run_lock_sha256 != world.lock.digest or summary.planned != world.head.arithmetic.trials:
        raise Refused(
            "COUNTS_DIFFER", "the sealed summary is not of the locked plan", field=prefix, way_out="Run `evidence verify`."
        )
    return marker.checksums_sha256, summary


def _scope(world: GatherWorld, label: Label) -> Scope:
    head = world.head
    return Scope(
        kind=COMPLETE if label in {Label.CLEAN, Label.DEGRADED} else "partial",
        quality=label.value,
        role=head.publishing.role,
        series=head.publishing.series,
        benchmark_digest=head.benchmark.benchmark_digest,
        tasks_sha256=head.benchmark.tasks_sha256,
        tasks=len(head.tasks),
        repeats=head.policy.repeats,
        sandbox=head.sandbox.kind,
        trial_seconds=head.policy.trial_seconds,
        agent_setup_multiplier=head.harbor.agent_setup_multiplier,
        max_trial_spend_usd_micros=head.policy.max_trial_spend_usd_micros,
    )


def _trial_facts(world: GatherWorld, index: int) -> TrialFacts:
    planned, trial = trial_at(world.head, index), world.state.trials.trial(index)
    outcome = outcome_of(trial)
    attempts = tuple(_attempts(world, planned, trial))
    selected = next((each for each, _ in attempts if each.ordinal == trial.selected), None) if outcome else None
    reward = _selected_reward(attempts, trial.selected) if outcome is Outcome.SCORED else None
    return TrialFacts(
        trial_id=trial_id(world.run_id, planned.key),
        task_name=planned.task.name,
        task_digest=planned.task.task_digest,
        repeat=planned.repeat,
        outcome=outcome,
        reward=reward,
        is_passed=None if reward is None else is_passed(reward, world.head.benchmark.pass_threshold),
        selected=selected,
        attempts=tuple(each for each, _ in attempts),
    )


def _selected_reward(attempts: tuple[tuple[AttemptFacts, TrialResult | None], ...], ordinal: int) -> float | None:
    result = next((result for each, result in attempts if each.ordinal == ordinal), None)
    return result.reward if result is not None else None


def _attempts(world: GatherWorld, planned: PlannedTrial, trial: Trial) -> list[tuple[AttemptFacts, TrialResult | None]]:
    found = []
    for ordinal, state in enumerate(trial.attempts, start=1):
        end = end_of_attempt(state)
        if end is not None:
            found.append(_attempt(world, planned, ordinal, end, is_lost=state in {AttemptState.LOST, AttemptState.STARTED}))
    return found


def _attempt(
    world: GatherWorld, planned: PlannedTrial, ordinal: int, end: AttemptEnd, *, is_lost: bool
) -> tuple[AttemptFacts, TrialResult | None]:
    prefix = attempt_place(world.run_id, world.head, planned.index, ordinal)
    if is_lost or not markers_at(world.evidence, prefix):
        return _lost(world, prefix, planned, ordinal, end), None
    stored = read_sealed_attempt(world.evidence, prefix, scoring_of(world.head.benchmark))
    return attempt_facts(stored, end), stored.reading.result


def _lost(world: GatherWorld, prefix: str, planned: PlannedTrial, ordinal: int, end: AttemptEnd) -> AttemptFacts:
    """Return what is known of a try that left no sealed bundle: the document that was written before it began."""
    path = f"{prefix}/{paths.ATTEMPT}"
    begun = world.evidence.stat(path) is not None
    document = AttemptDocument.from_bytes(read_small(world.evidence, path)) if begun else None
    return AttemptFacts(
        attempt_id=attempt_id(trial_id(world.run_id, planned.key), ordinal),
        ordinal=ordinal,
        wave_id=document.wave_id if document else "",
        runtime=world.head.sandbox.kind,
        end=end,
        classification_version=versions.CLASSIFICATION,
        category=Category.LOST,
        reason_code="lost",
        retry_reason=document.retry_reason if document else None,
        job_id=document.job_id if document else None,
    )


def attempt_facts(stored: StoredAttempt, end: AttemptEnd) -> AttemptFacts:
    """Return what the sealed bundle of a try says of it, whoever sealed it."""
    document, meaning, result = stored.document, stored.reading.classification, stored.reading.result
    return AttemptFacts(
        attempt_id=document.attempt_id,
        ordinal=document.ordinal,
        wave_id=document.wave_id,
        runtime=document.runtime,
        end=end,
        classification_version=versions.CLASSIFICATION,
        category=meaning.category,
        reason_code=meaning.reason_code if meaning.category is not None else None,
        phase=stored.reading.facts.phase.value,
        exception_type=exception_of(result, stored.ending) or None,
        needs_review=meaning.needs_review,
        verifier_environment=result.verifier_environment or None if result is not None else None,
        retry_reason=document.retry_reason,
        job_id=document.job_id,
        bundle_sha256=stored.bundle.checksums_sha256,
        started_at=_result_micros(result.started_at) if result is not None else None,
        finished_at=_result_micros(result.finished_at) if result is not None else None,
        usage=_usage(result),
        metrics=_metrics(result, document.primary_reward),
        artifacts=tuple(map(published_artifact, stored.inventory.files)),
    )


def _usage(result: TrialResult | None) -> Usage:
    if result is None:
        return NO_USAGE
    usage = result.usage
    return Usage(usage.observation, usage.input_tokens, usage.cached_tokens, usage.output_tokens, usage.cost_usd_micros)


def _metrics(result: TrialResult | None, primary: str) -> tuple[Metric, ...]:
    if result is None:
        return ()
    rewards = [
        Metric(f"reward.{key}", value, Observation.OBSERVED, "reward")
        for key, value in sorted(result.rewards.items())
        if key != primary
    ]
    usage = result.usage
    if usage.observation in {Observation.NOT_REPORTED, Observation.NOT_APPLICABLE}:
        return tuple(rewards)
    tokens = {"tokens.input": usage.input_tokens, "tokens.cached": usage.cached_tokens, "tokens.output": usage.output_tokens}
    for name, count in tokens.items():
        is_whole = usage.observation is Observation.OBSERVED
        missing = Observation.NOT_REPORTED if is_whole else usage.observation
        observation = Observation.OBSERVED if count is not None else missing
        rewards.append(Metric(name, None if count is None else float(count), observation, "token"))
    return tuple(rewards)


def published_artifact(file: InventoryFile) -> Artifact:
    """Return what is published of one file of an inventory."""
    suffix = f".{file.path.rpartition('.')[2]}" if "." in file.path.rpartition("/")[2] else ""
    media_type = MEDIA_TYPES.get(suffix, "application/octet-stream")
    # One file may lie loose and in the archive; the published path says which copy the row is about.
    path = file.path if file.stored == "loose" else f"{paths.ARCHIVE}!{file.path}"
    return Artifact(path, file.kind, file.sha256, file.size_bytes, file.stored, media_type)


def _result_micros(text: str | None) -> int | None:
    """Return the microseconds of a time with a zone; a naive time, or one that no clock of a run showed, orders nothing."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None or moment.year not in YEARS:
        return None
    return round(moment.timestamp() * 1_000_000)


def _micros(text: str) -> int:
    moment = datetime.fromisoformat(text).astimezone(UTC)
    return round(moment.timestamp() * 1_000_000)


def _text(value: object) -> str | None:
    return None if value is None else str(value)
