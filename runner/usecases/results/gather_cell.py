"""Gathering one cell: its identity and serving configuration from the plan, its host from the waves that ran it."""

import json
from dataclasses import dataclass
from typing import Any

from runner.evidence.reading import read_small
from runner.ports.stores.evidence_store import EvidenceStore
from shared import paths
from shared.digests import digest_of
from shared.documents.plan import PlanHead, PlannedCell
from shared.ids import CellId, RunId, WaveId
from shared.outcomes import AttemptEnd, Outcome, label_of
from shared.tables.published import CellFacts, Identity, TrialFacts

LOCAL = "local"
MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class CellSource:
    """One cell with its gathered trials."""

    cell_id: CellId
    cell: PlannedCell
    trials: tuple[TrialFacts, ...]
    run_id: RunId


def cell_facts(source: CellSource, head: PlanHead, evidence: EvidenceStore) -> CellFacts:
    """Return the facts of one cell."""
    cell = source.cell
    model, deployment = head.model(cell), head.deployment(cell)
    serving: dict[str, Any] = dict(deployment.specification)
    engine: dict[str, Any] = serving.get("engine") or {}
    release, packages = _host(source, evidence) if head.sandbox.kind == LOCAL else (None, None)
    low, high = head.benchmark.reward_range
    return CellFacts(
        identity=_identity(source, head, packages),
        quality=_quality(source.trials),
        trials=source.trials,
        weights_format=model.weights_format,
        quantization=model.quantization,
        deployment_digest=cell.deployment_digest,
        deployment_spec_digest=cell.deployment_spec_digest,
        api=serving.get("api"),
        accelerator_count=serving.get("accelerator_count"),
        engine=engine.get("name"),
        engine_version=engine.get("version"),
        image_digest=engine.get("image"),
        agent_import_path=_text(head.agent(cell).agent.get("import_path")),
        concurrency=cell.concurrency,
        host_release=release,
        host_packages_sha256=packages,
        serving_profile_sha256=cell.serving_profile_sha256,
        primary_reward=head.benchmark.primary_reward,
        pass_threshold=float(head.benchmark.pass_threshold),
        reward_range=(float(low), float(high)),
        needs_model=deployment.kind != "none",
    )


def _identity(source: CellSource, head: PlanHead, packages: str | None) -> Identity:
    cell = source.cell
    model, deployment, agent = head.model(cell), head.deployment(cell), head.agent(cell)
    serving: dict[str, Any] = dict(deployment.specification)
    import_path = _text(agent.agent.get("import_path"))
    return Identity(
        cell_id=source.cell_id,
        cell_digest=cell.cell_digest,
        # Results of two machines' own software are two editions: the host's fingerprint is part of what was measured.
        edition=cell.edition if packages is None else digest_of([cell.edition, packages]),
        model_id=model.id,
        model_repo=model.repo,
        model_revision=model.revision,
        deployment_id=deployment.id,
        deployment_kind=deployment.kind,
        agent_id=agent.id,
        agent_name=_text(agent.agent.get("name")) or (import_path or agent.id).rpartition(":")[2],
        agent_revision=agent.revision,
        provider=serving.get("provider"),
        region=serving.get("region"),
        hardware=serving.get("hardware"),
    )


def _quality(trials: tuple[TrialFacts, ...]) -> str:
    ended = sum(trial.outcome is not None for trial in trials)
    scored = sum(trial.outcome is Outcome.SCORED for trial in trials)
    cancelled = any(attempt.end is AttemptEnd.CANCELLED for trial in trials for attempt in trial.attempts)
    return label_of(len(trials), scored, ended, is_cancel_requested=cancelled).value


def _host(source: CellSource, evidence: EvidenceStore) -> tuple[str | None, str | None]:
    """Return release and fingerprint of the hosts that ran the cell's attempts; `mixed` if they differ."""
    waves = sorted({attempt.wave_id for trial in source.trials for attempt in trial.attempts if attempt.wave_id})
    found = set()
    for wave in waves:
        path = f"{paths.wave_prefix(source.run_id, WaveId(wave))}/{paths.RUNTIME_ENVIRONMENT}"
        if evidence.stat(path) is not None:
            environment = json.loads(read_small(evidence, path))
            found.add((environment["host_release"], environment["host_packages_sha256"]))
    if len(found) == 1:
        return found.pop()
    return (MIXED, MIXED) if found else (None, None)


def _text(value: object) -> str | None:
    return None if value is None else str(value)
