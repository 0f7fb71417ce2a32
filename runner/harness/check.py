"""Harbor's own parser, asked for its reading of configuration and tasks; nothing of a task is run.

Run as `python -m runner.harness.check` by the harness environment's interpreter: one JSON document on stdin `{agents, job,
source}`, one on stdout. Harbor's models drop a key they do not know without a word, so a key that does not come back from its
dump is reported. The dumps leave defaults out, so that a default named or not named is one plan.
"""

import contextlib
import difflib
import importlib.metadata
import json
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from harbor.models.agent.name import AgentName
from harbor.models.job.config import JobConfig
from harbor.models.task.config import NetworkMode
from harbor.models.task.task import Task
from harbor.models.trial.config import AgentConfig
from pydantic import BaseModel, ValidationError

from runner.harness.environments.dockerfile import parse_dockerfile
from runner.harness.host import lock_sha256
from shared.errors import BadInput

_WHOLE_REFERENCE: Final = re.compile(r"\$\{([^}:]+)\}")
"""What Harbor replaces in a task's environments: a value that is one reference; with `:-` it has a default."""


def answer(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return Harbor's reading of `question`, with a problem for each place that it refuses or drops."""
    problems: list[dict[str, str]] = []
    agents = [_dump(AgentConfig, agent, f"agents[{index}]", problems) for index, agent in enumerate(question["agents"])]
    problems += [{"path": f"agents[{index}].name", "problem": each} for index, each in _unknown_agents(question["agents"])]
    job = _dump(JobConfig, question["job"], "job", problems)
    source = Path(question["source"]) if question["source"] else None
    tasks = list(_tasks(source, problems)) if source else []
    return {
        "harbor": importlib.metadata.version("harbor"),
        "lock_sha256": lock_sha256(),
        "agents": agents,
        "job": job,
        "tasks": tasks,
        "problems": problems,
        "skipped": _skipped(source) if source else [],
    }


def _dump(model: type[BaseModel], fragment: Any, place: str, problems: list[dict[str, str]]) -> dict[str, Any]:
    try:
        parsed = model.model_validate(fragment)
    except ValidationError as error:
        for fault in error.errors(include_url=False, include_input=False, include_context=False):
            path = ".".join([place, *(str(part) for part in fault["loc"])])
            problems.append({"path": path, "problem": fault["msg"]})
        return {}
    whole = parsed.model_dump(mode="json", context={"redact_sensitive_env": False})
    problems += [{"path": path, "problem": "Harbor does not know this field"} for path in _dropped(fragment, whole, place)]
    dump = parsed.model_dump(mode="json", exclude_defaults=True, exclude_none=True, context={"redact_sensitive_env": False})
    return {key: value for key, value in dump.items() if key in fragment}


def _unknown_agents(agents: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, str]]:
    """Yield the place of each agent that Harbor would look up by name and not find, with what was meant perhaps."""
    for index, agent in enumerate(agents):
        name = agent.get("name")
        if isinstance(name, str) and name not in AgentName.values():
            near = difflib.get_close_matches(name, sorted(AgentName.values()), n=1)
            yield index, f"Harbor has no agent {name[:80]!r}" + (f", did you mean {near[0]!r}?" if near else "")


def _dropped(asked: Any, read: Any, place: str) -> Iterator[str]:
    """Yield the paths of keys of `asked` that are not in what Harbor read."""
    if isinstance(asked, dict) and isinstance(read, dict):
        for key, value in asked.items():
            if key not in read and value not in (None, [], {}):
                yield f"{place}.{key}"
            elif key in read:
                yield from _dropped(value, read[key], f"{place}.{key}")
    elif isinstance(asked, list) and isinstance(read, list):
        for index, (one, other) in enumerate(zip(asked, read, strict=False)):
            yield from _dropped(one, other, f"{place}[{index}]")


def _tasks(source: Path, problems: list[dict[str, str]]) -> Iterator[dict[str, Any]]:
    for file in sorted(source.rglob("task.toml")):
        folder = file.parent
        path = folder.relative_to(source).as_posix()
        try:
            task = Task(folder)
        except (ValueError, OSError) as error:
            problems.append({"path": path, "problem": _why_unreadable(error)})
            continue
        yield {"name": task.name, "path": path, "digest": task.checksum, "needs": _needs(task)}


def _why_unreadable(error: ValueError | OSError) -> str:
    """Return the first fault, with the field of task.toml where there is one: Harbor's own text names it on a later line."""
    if not isinstance(error, ValidationError):
        return str(error).partition("\n")[0][:400]
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    field = ".".join(str(part) for part in faults[0]["loc"])
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{field}: {faults[0]['msg']}{more}"[:400]


def _skipped(source: Path) -> list[str]:
    """Return the folders that are no tasks and hold none, each without what is below it."""
    tasks = {file.parent for file in source.rglob("task.toml")}
    holders = {above for task in tasks for above in task.parents}
    waiting, skipped = [] if source in tasks else [source], []
    while waiting:
        for folder in sorted(path for path in waiting.pop().iterdir() if path.is_dir()):
            if folder in holders and folder not in tasks:
                waiting.append(folder)
            elif folder not in tasks:
                skipped.append(folder.relative_to(source).as_posix())
    return sorted(skipped)


def _needs(task: Task) -> dict[str, Any]:
    config, environment = task.config, task.config.environment
    folder = task.paths.environment_dir
    return {
        "docker_image": environment.docker_image,
        "has_dockerfile": (folder / "Dockerfile").is_file(),
        "has_compose": (folder / "docker-compose.yaml").is_file(),
        "network": _network(environment),
        "gpus": environment.gpus or 0,
        "cpus": environment.cpus,
        "memory_mb": environment.memory_mb,
        "storage_mb": environment.storage_mb,
        "agent_seconds": config.agent.timeout_sec,
        "verifier_seconds": config.verifier.timeout_sec,
        "build_seconds": environment.build_timeout_sec,
        "steps": len(config.steps or []),
        "unsupported": list(_unsupported(task)),
        "variables": sorted(set(_variables(task))),
        "has_solution": _has_solution(task),
        "base_image": _base_image(folder / "Dockerfile"),
    }


def _has_solution(task: Task) -> bool:
    """Tell whether Harbor's oracle finds a script where it looks: a step's own solution takes the place of the task's."""
    paths, system = task.paths, task.config.environment.os
    has_whole = paths.discovered_solve_path_for(system) is not None
    steps = [step.name for step in task.config.steps or []]
    own = [name for name in steps if paths.step_solution_dir(name).exists()]
    has_own = all(paths.discovered_step_solve_path_for(name, system) is not None for name in own)
    return has_own and (has_whole or (bool(steps) and len(own) == len(steps)))


def _base_image(file: Path) -> str:
    """Return the image that the Dockerfile names, or nothing where it names none or cannot be read: `_unsupported` says why."""
    try:
        return parse_dockerfile(file.read_text(encoding="utf-8")).base
    except (OSError, BadInput, UnicodeDecodeError):
        return ""


def _variables(task: Task) -> Iterator[tuple[str, str, str]]:
    """Yield (section, key, name) of every variable that Harbor will look up for `task` and that has no default."""
    config = task.config
    sections = [("environment", config.environment.env), ("solution", config.solution.env)]
    for verifier in (config.verifier, *(step.verifier for step in config.steps or [])):
        sections.append(("verifier", verifier.env))
        if verifier.environment is not None:
            sections.append(("environment", verifier.environment.env))
    for section, variables in sections:
        for key, value in variables.items():
            found = _WHOLE_REFERENCE.fullmatch(value)
            if found is not None:
                yield section, key, found[1]


def _network(environment: Any) -> str:
    is_declared = "network_mode" in environment.model_fields_set or environment.allow_internet is not None
    return str(environment.network_mode.value) if is_declared else "undeclared"


def _unsupported(task: Task) -> Iterator[str]:
    """Yield why a local sandbox cannot carry out `task`."""
    config, folder = task.config, task.paths.environment_dir
    if (folder / "docker-compose.yaml").is_file():
        yield "docker-compose.yaml"
    elif (folder / "Dockerfile").is_file():
        try:
            parse_dockerfile((folder / "Dockerfile").read_text(encoding="utf-8"))
        except (BadInput, UnicodeDecodeError) as error:
            yield str(error)
    elif not config.environment.docker_image:
        yield "it has no environment/Dockerfile and names no docker_image"
    if config.environment.gpus:
        yield f"{config.environment.gpus} GPU"
    if config.environment.network_mode == NetworkMode.ALLOWLIST:
        yield "a network allow-list"
    users = {config.agent.user, config.verifier.user, *(step.agent.user for step in config.steps or [])}
    if others := sorted(str(user) for user in users if user is not None and str(user) not in {"root", "0"}):
        yield f"the user {others[0]}"


def main() -> None:
    """Answer the question on stdin."""
    question = json.loads(sys.stdin.buffer.read())
    out = sys.stdout
    with contextlib.redirect_stdout(sys.stderr), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        document = answer(question)
    out.write(json.dumps(document))


if __name__ == "__main__":
    main()
