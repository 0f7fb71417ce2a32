"""Which tasks of a source a benchmark selects: a pattern equal to a name is that name, else `*` and `?` are wildcards.

A bracket is a bracket: task names such as `fix[1]` are found literally, never read as a set of characters.
"""

from collections.abc import Iterable

from shared.errors import BadInput
from shared.planning.inputs import SourceTask
from shared.planning.limits import MAX_TASKS


def select_tasks(tasks: Iterable[SourceTask], include: Iterable[str], exclude: Iterable[str]) -> tuple[SourceTask, ...]:
    """Return the selected tasks by name; raise BadInput `TASK_UNMATCHED`, `TASK_DUPLICATE` or `PLAN_TOO_LARGE`."""
    by_name: dict[str, SourceTask] = {}
    for task in tasks:
        if by_name.setdefault(task.name, task) is not task:
            raise BadInput("TASK_DUPLICATE", f"two tasks are called {task.name!r}.", way_out="Rename one in the source.")
    chosen = _matching(by_name, include, "benchmark.tasks") - _matching(by_name, exclude, "benchmark.exclude_tasks")
    if not chosen:
        raise BadInput("TASK_UNMATCHED", "no task is left.", field="benchmark.exclude_tasks", way_out="Exclude fewer tasks.")
    if len(chosen) > MAX_TASKS:
        message = f"{len(chosen)} tasks are selected, more than {MAX_TASKS}."
        raise BadInput("PLAN_TOO_LARGE", message, field="benchmark.tasks", way_out="Split the experiment.")
    return tuple(by_name[name] for name in sorted(chosen))


def _matching(names: Iterable[str], patterns: Iterable[str], field: str) -> set[str]:
    known = set(names)
    found: set[str] = set()
    for index, pattern in enumerate(patterns):
        matched = {pattern} if pattern in known else _by_wildcard(known, pattern)
        if not matched:
            message = f"the pattern {pattern[:120]!r} matches none of {len(known)} tasks."
            raise BadInput("TASK_UNMATCHED", message, field=f"{field}[{index}]", way_out=_nearest(known))
        found |= matched
    return found


def _by_wildcard(names: set[str], pattern: str) -> set[str]:
    if "*" not in pattern and "?" not in pattern:
        return set()
    return {name for name in names if _fits(name, pattern)}


def _fits(name: str, pattern: str) -> bool:
    """Match in time linear in name x pattern: on a mismatch the last `*` takes one character more."""
    here, there, star, resume = 0, 0, -1, 0
    while here < len(name):
        if there < len(pattern) and pattern[there] == "*":
            star, resume, there = there, here, there + 1
        elif there < len(pattern) and pattern[there] in {"?", name[here]}:
            here, there = here + 1, there + 1
        elif star >= 0:
            resume += 1
            here, there = resume, star + 1
        else:
            return False
    return set(pattern[there:]) <= {"*"}


def _nearest(names: set[str]) -> str:
    some = ", ".join(sorted(names)[:5])
    return f"Some names: {some}." if some else "The source has no task folder."
