"""Check the variables that a benchmark's own tasks take from outside: an attempt sees those that the manifest names, no others.

A `${NAME}` in a task.toml that no attempt can see would fail every attempt at that task. It is refused before anything runs,
with the place of the manifest where the name can be given. Called when a run is planned.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from runner.harness.secrecy import ALWAYS_SET
from runner.ports.compute.harness import TaskVariable
from shared.documents.plan import PlanHead, PlannedCell
from shared.errors import BadInput
from shared.planning.secret_names import secret_names

SOLVER: Final = "oracle"
"""The one agent that reads a task's own solution."""


def check_variables(head: PlanHead, variables: Mapping[str, Iterable[TaskVariable]]) -> None:
    """Raise BadInput `SECRET_MISSING` for the first task of the plan that needs a variable which its attempts cannot see."""
    for cell in head.cells:
        seen = ALWAYS_SET | set(secret_names(head, cell))
        for task in head.tasks:
            for variable in variables.get(task.name, ()):
                if variable.name not in seen and _is_read(variable, head, cell):
                    raise _missing(task.name, variable)


def _missing(task: str, variable: TaskVariable) -> BadInput:
    name, place = variable.name, "environment" if variable.section == "environment" else "verifier"
    return BadInput(
        "SECRET_MISSING",
        f"the task {task!r} takes the variable {name} ({variable.section}.env of its task.toml), and no attempt is given it.",
        field=f"harbor.job.{place}.env",
        way_out=f"Add {name}: ${{{name}}} there and set {name} where waves run, or exclude the task.",
    )


def _is_read(variable: TaskVariable, head: PlanHead, cell: PlannedCell) -> bool:
    """Tell whether Harbor looks the variable up in attempts of `cell`."""
    if variable.section == "solution":
        return head.agent(cell).agent.get("name") == SOLVER
    verifier = head.harbor.job.get("verifier")
    given = verifier.get("env") if isinstance(verifier, dict) else None
    # The job's own value of a verifier variable takes the place of the task's.
    return not (variable.section == "verifier" and isinstance(given, dict) and variable.key in given)
