"""Reads, from a trial's own result file, what was run: agent, model, sandbox, multipliers; imports no Harbor.

Takes the layouts of Harbor that `reader.py` takes. What an older layout does not say is `not_observed`, never guessed. A name
that is too long or holds control characters is refused, since it would stand in tables and paths. Used where results that were
made elsewhere are brought in; for a run of ours the plan says all of this.
"""

import json
from dataclasses import dataclass
from typing import Any, Final

from shared.digests import Digest, digest_of
from shared.errors import BadInput

NOT_OBSERVED: Final = "not_observed"
MAX_NAME: Final = 512


@dataclass(frozen=True, slots=True)
class TrialSetting:
    """What one trial was run with, as its result file says."""

    trial_uuid: str
    source: str
    """Harbor's name of the dataset, or nothing."""
    agent_name: str
    agent_version: str
    agent_import_path: str | None
    model_provider: str | None
    model_name: str | None
    sandbox: str
    agent_setup_multiplier: str
    rest: Digest
    """Digest of everything else in the configuration that can change an outcome."""
    is_versioned: bool
    has_windows_paths: bool


def read_setting(data: bytes) -> TrialSetting:
    """Return the setting that the result file `data` tells; raise RESULT_UNREADABLE for a name that cannot be one.

    `data` has passed `reader.read_result`.
    """
    document = _object(json.loads(data))
    config, info = _object(document.get("config")), _object(document.get("agent_info"))
    agent, environment = _object(config.get("agent")), _object(config.get("environment"))
    model = _object(info.get("model_info"))
    for name in ("task_name", "trial_name"):
        _name(document.get(name), "")
    return TrialSetting(
        trial_uuid=_name(document.get("id"), ""),
        source=_name(document.get("source"), ""),
        agent_name=_name(info.get("name") or agent.get("name"), NOT_OBSERVED),
        agent_version=_name(info.get("version"), NOT_OBSERVED),
        agent_import_path=_name(agent.get("import_path"), "") or None,
        model_provider=_name(model.get("provider"), "") or None,
        model_name=_name(model.get("name") or agent.get("model_name"), "") or None,
        sandbox=_sandbox(environment),
        agent_setup_multiplier=_multiplier(config.get("agent_setup_timeout_multiplier"), config.get("timeout_multiplier")),
        rest=_rest(config, agent, environment),
        is_versioned="schema_version" in document,
        has_windows_paths="\\" in str(_object(document.get("task_id")).get("path", "")) or "\\" in str(config.get("trials_dir")),
    )


def _sandbox(environment: dict[str, Any]) -> str:
    """Return Harbor's environment as a sandbox kind of its own, so that it is never taken for one of ours."""
    found = _name(environment.get("type") or environment.get("import_path"), NOT_OBSERVED)
    return f"harbor:{found}"


def _multiplier(own: Any, general: Any) -> str:
    for value in (own, general):
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            try:
                return repr(float(value))
            except OverflowError:
                return NOT_OBSERVED
    return NOT_OBSERVED


def _rest(config: dict[str, Any], agent: dict[str, Any], environment: dict[str, Any]) -> Digest:
    """Return the digest of limits and arguments: two trials that differ in them belong to two cells."""
    names = ("timeout_multiplier", "agent_timeout_multiplier", "verifier_timeout_multiplier", "verifier")
    of_agent = ("kwargs", "override_timeout_sec", "max_timeout_sec", "skills")
    of_environment = ("kwargs", "override_cpus", "override_memory_mb")
    chosen = [{name: config.get(name) for name in names}]
    chosen += [{name: agent.get(name) for name in of_agent}, {name: environment.get(name) for name in of_environment}]
    return digest_of(json.dumps(chosen, sort_keys=True))


def _name(value: Any, otherwise: str) -> str:
    if not isinstance(value, str) or not value.strip():
        return otherwise
    if len(value) > MAX_NAME or not value.isprintable():
        way_out = "Name a result.json that Harbor wrote."
        raise BadInput("RESULT_UNREADABLE", "the result file has a name that cannot be one", way_out=way_out)
    return value


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
