"""From an assigned trial to the order that the harness carries out, and the document that says whose try it is."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner.ports.compute.harness import AttemptOrder, ModelAccess
from runner.usecases.runs.wave_world import WaveClaim, WaveWorld
from shared import paths
from shared.documents.evidence.attempt import AttemptDocument
from shared.documents.plan import PlannedCell
from shared.errors import BadInput
from shared.ids import AttemptId, CellId, TrialId, attempt_id, cell_id, trial_id
from shared.planning.secret_names import secret_names
from shared.planning.sharding import PlannedTrial, trial_at

NO_KEY = "SEAWALL_NO_KEY"
"""The name of the key of a server that needs none."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try that is about to begin or under way."""

    planned: PlannedTrial
    ordinal: int
    attempt_id: AttemptId
    trial_id: TrialId
    cell_id: CellId
    prefix: str
    folder: Path
    document: AttemptDocument


def make_attempt(trial: int, ordinal: int, retry_reason: str | None, claim: WaveClaim, world: WaveWorld) -> Attempt:
    """Return the `ordinal`-th try at the trial with plan index `trial`."""
    head = claim.head
    planned = trial_at(head, trial)
    cell, trial_name = cell_id(claim.run_id, planned.cell.cell_digest), trial_id(claim.run_id, planned.key)
    attempt = attempt_id(trial_name, ordinal)
    agent, deployment = head.agent(planned.cell), head.deployment(planned.cell)
    document = AttemptDocument(
        attempt_id=attempt,
        run_id=claim.run_id,
        cell_id=cell,
        trial_id=trial_name,
        trial_index=trial,
        ordinal=ordinal,
        wave_id=claim.wave_id,
        action_id=claim.action_id,
        job_id=world.job_id,
        runtime=head.sandbox.kind,
        task_name=planned.task.name,
        task_digest=planned.task.task_digest,
        agent_id=agent.id,
        agent_revision=agent.revision,
        model_id=planned.cell.model_id,
        served_model=_text(deployment.specification.get("served_model")),
        primary_reward=head.benchmark.primary_reward,
        secret_names=tuple(sorted(secret_names(head, planned.cell))),
        retry_reason=retry_reason,
    )
    prefix = paths.attempt_prefix(claim.run_id, cell, trial_name, attempt)
    return Attempt(planned, ordinal, attempt, trial_name, cell, prefix, world.work / "attempts" / attempt, document)


def order_attempt(attempt: Attempt, claim: WaveClaim, world: WaveWorld, tasks: Path) -> AttemptOrder:
    """Return the harness's order for `attempt`, whose task lies below `tasks`."""
    head = claim.head
    return AttemptOrder(
        attempt_id=attempt.attempt_id,
        folder=attempt.folder,
        task_path=tasks / attempt.planned.task.path,
        agent=head.agent(attempt.planned.cell).agent,
        job=head.harbor.job,
        trial_seconds=float(head.policy.trial_seconds),
        model=_model(attempt.planned.cell, claim, world),
        secret_names=attempt.document.secret_names,
    )


def _model(cell: PlannedCell, claim: WaveClaim, world: WaveWorld) -> ModelAccess | None:
    specification = claim.head.deployment(cell).specification
    if specification.get("kind", claim.head.deployment(cell).kind) == "none":
        return None
    server = str(specification.get("server"))
    if server not in world.servers:
        raise BadInput(
            "SERVER_UNKNOWN",
            f"no address is configured for the server {server!r}",
            field="SEAWALL_SERVERS",
            way_out=f"For example SEAWALL_SERVERS={server}=http://127.0.0.1:8000/v1",
        )
    names = _secret_names(specification)
    return ModelAccess(str(specification["served_model"]), world.servers[server], names[0] if names else NO_KEY)


def _secret_names(specification: Any) -> tuple[str, ...]:
    return tuple(str(name) for name in specification.get("secret_names") or ())


def _text(value: object) -> str | None:
    return None if value is None else str(value)
