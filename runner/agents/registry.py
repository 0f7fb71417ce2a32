"""Finds the custom agents: every folder below `runner/agents` that declares a `DEFINITION`.

A name or import path declared twice is refused, and so is a definition that points outside its own folder. A new agent is one
new folder; no list is kept. Called by planning and by `source check`; imports no Harbor.
"""

import importlib
import pkgutil
from collections.abc import Iterable, Mapping

import runner.agents
from runner.agents.definition import AgentDefinition
from shared.digests import Json
from shared.errors import BadInput


def discover() -> dict[str, AgentDefinition]:
    """Return the custom agents by import path."""
    folders = [found.name for found in pkgutil.iter_modules(runner.agents.__path__) if found.ispkg]
    definitions = {}
    for folder in sorted(folders):
        definition = getattr(importlib.import_module(f"runner.agents.{folder}"), "DEFINITION", None)
        if isinstance(definition, AgentDefinition):
            definitions[folder] = definition
    return index(definitions)


def index(definitions: Mapping[str, AgentDefinition]) -> dict[str, AgentDefinition]:
    """Return `definitions` (folder -> definition) by import path, or raise AGENT_DEFINITION for two of a name."""
    names = set[str]()
    for folder, definition in definitions.items():
        if not definition.import_path.startswith(f"runner.agents.{folder}."):
            raise _refused(f"{definition.name} is declared in {folder} and points to {definition.import_path}")
        if definition.name in names:
            raise _refused(f"two agents are called {definition.name}")
        names.add(definition.name)
    return {definition.import_path: definition for definition in definitions.values()}


def check_kwargs(definition: AgentDefinition, kwargs: Mapping[str, Json]) -> None:
    """Raise AGENT_KWARGS if `kwargs` has a key that the agent does not take, or lacks one that it needs."""
    _check_none(sorted(set(kwargs) - definition.allowed_kwargs), f"{definition.name} does not take", definition)
    _check_none(sorted(definition.required_kwargs - set(kwargs)), f"{definition.name} needs", definition)


def _check_none(names: Iterable[str], problem: str, definition: AgentDefinition) -> None:
    for name in names:
        allowed = ", ".join(sorted(definition.allowed_kwargs)) or "none"
        raise BadInput("AGENT_KWARGS", f"{problem} {name!r}", field=f"agent.kwargs.{name}", way_out=f"Allowed: {allowed}.")


def _refused(problem: str) -> BadInput:
    return BadInput("AGENT_DEFINITION", problem, way_out="Give every agent one name and one folder.")
