"""What a person should know of a plan that nothing refuses: what a sandbox leaves out, what is no task, where rows go.

Notes are told beside the plan and stand in no document, so none of them changes a digest. Called when a run is planned.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from runner.ports.compute.harness import CheckedTask, HarnessCheckResult
from shared.documents.experiment.policy import LOCAL
from shared.documents.plan import PlanHead
from shared.plural import counted

NAMED: Final = 5
"""So many of a kind are named, the rest is counted."""
PUBLIC: Final = "public"
LOCAL_OWNER: Final = "local/"
"""How the name of a results folder of this machine begins."""


def plan_notes(head: PlanHead, checked: HarnessCheckResult) -> tuple[str, ...]:
    """Return the notes on the plan `head`, which was made from what `checked` read; one sentence each."""
    planned = {task.name for task in head.tasks}
    tasks = [task for task in checked.tasks if task.name in planned]
    notes = list(_local_notes(tasks)) if head.sandbox.kind == LOCAL else []
    if checked.skipped:
        notes.append(f"without a task.toml, so skipped: {_named(checked.skipped)}")
    return (*notes, *folder_notes(head.publishing.dataset, head.publishing.catalog))


def folder_notes(*names: str) -> tuple[str, ...]:
    """Return the note that Datasets of those `names` are folders here, unless each says so itself (`local/..`)."""
    named = [name for name in names if not name.startswith(LOCAL_OWNER)]
    kept = "are folders" if len(named) > 1 else "is a folder"
    return (f"nothing is written to the Hub: {' and '.join(named)} {kept} among this machine's results",) if named else ()


def _local_notes(tasks: Sequence[CheckedTask]) -> Iterable[str]:
    images = Counter(task.needs.base_image or task.needs.docker_image for task in tasks)
    named = [f"{image} ({counted(count, 'task')})" for image, count in sorted(images.items(), key=str) if image]
    if named:
        yield f"a local sandbox uses this machine's own programs and not the images {_named(named)}"
    public = [task.name for task in tasks if task.needs.network == PUBLIC]
    if public:
        yield f'network_mode = "public" reaches this machine\'s own network, its loopback too: {_named(public)}'


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
