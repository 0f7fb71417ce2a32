"""How a person names published results: a dataset with a revision, a catalog among those of a folder."""

import re
from pathlib import Path
from typing import Final, NamedTuple

from runner.bootstrap import results_at
from shared.documents.revision import Revision
from shared.errors import BadInput, SeawallError

_REVISION: Final = re.compile(r"[1-9][0-9]{0,8}")


def revision_of(text: str) -> tuple[str, int | None]:
    """Return dataset and revision number (None: the newest) of DATASET[@N]."""
    dataset, at, number = text.partition("@")
    if at and _REVISION.fullmatch(number) is None:
        message = f"expected DATASET@N, N a revision number from 1 to {10**9 - 1}"
        raise BadInput("REVISION_INVALID", message, field="DATASET", way_out="`results list` shows the newest of each.")
    return dataset, int(number) if number else None


class Listed(NamedTuple):
    """The datasets of a folder by name: those with a newest revision, and what is broken of the others."""

    heads: dict[str, Revision]
    broken: dict[str, SeawallError]


def datasets(root: Path) -> Listed:
    """Return every dataset below `root`; one that cannot be read hides no other."""
    store, found = results_at(root), Listed({}, {})
    for name in store.names():
        try:
            head = store.head(name)
        except SeawallError as error:
            found.broken[name] = error
            continue
        if head is not None:
            found.heads[name] = head
    return found


def catalog_of(root: Path, name: str | None) -> str:
    """Return `name`, or the one catalog below `root`; raise CATALOG_UNKNOWN if there is not one."""
    if name:
        return name
    store = results_at(root)
    found = [dataset for dataset in store.names() if store.kind(dataset) == "catalog"]
    if len(found) != 1:
        message = f"{root} has {len(found)} catalogs"
        raise BadInput("CATALOG_UNKNOWN", message, field="--catalog", way_out="Name one with --catalog owner/name.")
    return found[0]
