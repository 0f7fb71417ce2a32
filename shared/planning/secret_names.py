"""Which secrets a cell's attempts may see: those of its deployment, and every `${NAME}` in the environments that Harbor is given.

Names only; a value is looked up by whoever starts the attempt. A name that stands nowhere here is no attempt's business.
"""

import re
from typing import Final

from pydantic import JsonValue

from shared.documents.plan import PlanHead, PlannedCell

_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)")


def secret_names(head: PlanHead, cell: PlannedCell) -> tuple[str, ...]:
    """Return the names of the secrets that attempts of `cell` need, sorted."""
    job, listed = head.harbor.job, head.deployment(cell).specification.get("secret_names")
    environments = [_section(head.agent(cell).agent, "env")]
    environments += [_section(_section(job, part), "env") for part in ("environment", "verifier")]
    names = {str(name) for name in listed} if isinstance(listed, list) else set[str]()
    for environment in environments:
        for value in environment.values():
            names.update(_REFERENCE.findall(str(value)))
    return tuple(sorted(names))


def _section(value: dict[str, JsonValue], name: str) -> dict[str, JsonValue]:
    inner = value.get(name)
    return inner if isinstance(inner, dict) else {}
