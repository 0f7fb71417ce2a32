"""Planning a request from its offer: the offer's manifest, thinned to what was chosen, with the requester's own cost ceiling.

Pure, and the only way that a requested run is planned: the form's preview shows its result, the pass that takes the request makes
it again and compares digests. `manifest_of` gives the bytes that "Download YAML" hands out; the command line plans the same
from them.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from shared.digests import Digest, canonical_json, sha256
from shared.documents.experiment.matrix import NO_MODEL
from shared.documents.experiment.reader import read_manifest
from shared.documents.reviewed.offer import Offer
from shared.documents.yaml_reader import read_yaml
from shared.errors import BadInput, Refused
from shared.planning.inputs import HarborDump, PlanInputs, ResolvedSource, SourceTask, TaskNeeds
from shared.planning.plan import Plan, plan

_NOT_OFFERED: Final = "request.profile_unknown"


class Choice(NamedTuple):
    """What a requester chooses of an offer."""

    models: Sequence[str]
    """Ids; `none` for agents that need no model."""
    agents: Sequence[str]
    max_spend_usd_micros: int


class Requested(NamedTuple):
    """A plan made from an offer, and the digest of the manifest that says the same."""

    plan: Plan
    manifest_sha256: Digest


def offered_ids(offer: Offer) -> tuple[list[str], list[str]]:
    """Return the ids of the models (`none` where a deployment needs none) and agents that may be chosen, sorted."""
    experiment = read_manifest(offer.manifest.encode(), {}).experiment
    models = [model.id for model in experiment.matrix.models]
    if any(deployment.kind == "none" for deployment in experiment.matrix.deployments):
        models.append(NO_MODEL)
    return sorted(models), sorted(agent.id for agent in experiment.matrix.agents)


def manifest_of(offer: Offer, choice: Choice) -> bytes:
    """Return the manifest of what was chosen, as canonical JSON (which is YAML too); raise Refused for what is not offered."""
    models, agents = offered_ids(offer)
    for chosen, known, what in ((choice.models, models, "model"), (choice.agents, agents, "agent")):
        for name in chosen:
            if name not in known:
                message = f"the offer {offer.name} has no {what} {name}"
                raise Refused(_NOT_OFFERED, message, field=f"{what}s", way_out=f"It has {', '.join(known)}.")
    tree: dict[str, Any] = read_yaml(offer.manifest.encode()).value
    most = tree["policy"]["max_spend_usd_micros"]
    if choice.max_spend_usd_micros > most:
        message = f"the offer {offer.name} allows at most {most} micro-USD"
        raise Refused("request.too_large", message, field="max_spend_usd_micros", way_out="Choose a lower ceiling.")
    rules = [{"model": model, "agent": agent} for model in sorted(set(choice.models)) for agent in sorted(set(choice.agents))]
    tree["matrix"] = {**tree["matrix"], "include": rules}
    tree["policy"] = {**tree["policy"], "max_spend_usd_micros": choice.max_spend_usd_micros}
    return canonical_json(tree)


def plan_requested(offer: Offer, choice: Choice) -> Requested:
    """Return the plan of `choice`; raise BadInput or Refused naming what stands in the way, as planning does."""
    manifest = manifest_of(offer, choice)
    read = read_manifest(manifest, {})
    inputs = PlanInputs(
        ResolvedSource(dict(offer.source_lock), tuple(_task(offer, index) for index in range(len(offer.tasks)))),
        HarborDump(tuple(dict(agent) for agent in offer.agents), dict(offer.job)),
        (),
        read.profiles,
    )
    return Requested(plan(read.experiment, inputs, offer.prices), sha256(manifest))


def require_offerable(manifest: bytes) -> None:
    """Raise BadInput unless a manifest can be offered: it is whole, and its matrix has no rules of its own."""
    matrix = read_manifest(manifest, {}).experiment.matrix
    if matrix.include or matrix.exclude:
        message = "the matrix of an offer has no include and exclude rules; what is chosen becomes its rules."
        raise BadInput("OFFER_INVALID", message, field="matrix", way_out="Remove the rules, or make two offers.")


def _task(offer: Offer, index: int) -> SourceTask:
    task = offer.tasks[index]
    needs = TaskNeeds(
        docker_image=task.docker_image,
        gpus=task.gpus,
        has_compose=task.has_compose,
        network=task.network,
        agent_seconds=task.agent_seconds,
        verifier_seconds=task.verifier_seconds,
        local_obstacles=task.local_obstacles,
    )
    return SourceTask(task.name, task.path, task.task_digest, needs)
