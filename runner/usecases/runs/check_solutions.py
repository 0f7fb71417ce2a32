"""Check that the oracle has something to apply: it runs a task's own solution, and without one every attempt would fail.

Called when a run is planned.
"""

from collections.abc import Container

from runner.usecases.runs.check_variables import SOLVER
from shared.documents.plan import PlanHead
from shared.errors import Refused


def check_solutions(head: PlanHead, unsolved: Container[str]) -> None:
    """Raise Refused `TASK_UNSUPPORTED` for the first of the `unsolved` tasks that the oracle would have to solve."""
    if not any(head.agent(cell).agent.get("name") == SOLVER for cell in head.cells):
        return
    for task in head.tasks:
        if task.name in unsolved:
            message = f"the task {task.name!r} has no solution/solve.sh, and the agent {SOLVER} does nothing but run it."
            way_out = "Exclude the task with benchmark.exclude_tasks, add its solution, or leave the agent out."
            raise Refused("TASK_UNSUPPORTED", message, field="benchmark.tasks", way_out=way_out)
