"""Check the agents of a plan against their definitions: known, of that version, on a route that fits.

An agent that asks a model has none on a deployment of kind `none`; one that asks none would lend its score to a model that it
never asked. Both are refused before anything runs. Harbor's own agents ask a model, save the ones in `MODEL_FREE`.
"""

from collections.abc import Mapping
from typing import Final, NoReturn

from runner.agents.definition import AgentDefinition
from runner.agents.registry import check_kwargs
from shared.documents.experiment.experiment import Experiment
from shared.documents.experiment.matrix import NO_MODEL, Agent
from shared.documents.plan import PlanHead
from shared.errors import BadInput

MODEL_FREE: Final = frozenset({"oracle", "nop"})


def check_agents(experiment: Experiment, head: PlanHead, definitions: Mapping[str, AgentDefinition]) -> None:
    """Raise BadInput `AGENT_*` or `MATRIX_*` for the first agent of the manifest that cannot run as it is asked to."""
    for index, agent in enumerate(experiment.matrix.agents):
        field = f"matrix.agents[{index}]"
        definition = _definition(agent, field, definitions)
        if definition is not None:
            _check_revision(agent, definition, field)
            _check_kwargs(agent, definition, field)
        needs_model = definition.requires_model if definition is not None else agent.agent.name not in MODEL_FREE
        for cell in head.cells:
            if cell.agent_id == agent.id:
                _check_model(agent.id, cell.deployment_id, asks=needs_model, has=cell.model_id != NO_MODEL)
                api = head.deployment(cell).specification.get("api")
                if definition is not None and definition.api and api not in {None, definition.api}:
                    message = f"the agent {agent.id!r} speaks {definition.api}, the deployment {cell.deployment_id!r} {api}."
                    _refuse("AGENT_API", message, field, "Exclude the cell, or serve the other API.")


def _definition(agent: Agent, field: str, definitions: Mapping[str, AgentDefinition]) -> AgentDefinition | None:
    path = agent.agent.import_path
    if path is None:
        return None
    if path not in definitions:
        known = ", ".join(sorted(definitions)) or "none"
        _refuse("AGENT_UNKNOWN", "no custom agent has this import path.", f"{field}.agent.import_path", f"Known: {known}.")
    return definitions[path]


def _check_revision(agent: Agent, definition: AgentDefinition, field: str) -> None:
    if agent.revision_kind == "harbor":
        _refuse("AGENT_REVISION", "it is no agent of Harbor's.", f"{field}.revision_kind", "Use package or git.")
    if agent.revision_kind == "package" and agent.revision != definition.version:
        message = f"this checkout has version {definition.version}."
        _refuse("AGENT_REVISION", message, f"{field}.revision", "Pin that version, or check the other one out.")


def _check_kwargs(agent: Agent, definition: AgentDefinition, field: str) -> None:
    try:
        check_kwargs(definition, agent.agent.kwargs or {})
    except BadInput as error:
        raise BadInput(error.code, error.message, field=f"{field}.{error.field}", way_out=error.way_out) from None


def _check_model(agent: str, deployment: str, *, asks: bool, has: bool) -> None:
    if asks and not has:
        message = f"the agent {agent!r} asks a model, and the deployment {deployment!r} serves none."
        _refuse("MATRIX_NEEDS_MODEL", message, "matrix", "Exclude the cell, or give it another deployment.")
    if has and not asks:
        message = f"the agent {agent!r} asks no model, so its score would be no score of one on {deployment!r}."
        _refuse("MATRIX_NEEDS_NO_MODEL", message, "matrix", "Include it with a deployment of kind none only.")


def _refuse(code: str, message: str, field: str, way_out: str) -> NoReturn:
    raise BadInput(code, message, field=field, way_out=way_out)
