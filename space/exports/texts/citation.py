"""How to cite what is shown: the revision, its digest and the mirror, which never change."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from space.queries.statement import Statement
from space.readers.mirror import Mirror

_NEWEST: Final = Statement("SELECT max(recorded_at) AS newest FROM catalog")


def citation(mirror: Mirror) -> Mapping[str, Any] | None:
    """Return what a citation of `mirror` names, with its BibTeX entry; None while nothing is published."""
    catalog = mirror.revisions.catalog
    if catalog is None:
        return None
    newest = mirror.one(_NEWEST)
    at = datetime.fromtimestamp((newest["newest"] if newest and newest["newest"] else 0) / 1e6, tz=UTC)
    name = f"{catalog.dataset}@{catalog.revision.number}"
    digest = str(catalog.digest)
    lines = [
        f"@misc{{seawall-{digest[:12]},",
        f"  title = {{Agent benchmark results, {name}}},",
        f"  year = {{{at:%Y}}},",
        f"  note = {{Published {at:%Y-%m-%d}. Revision digest {digest}, mirror {mirror.identity}}}",
        "}",
    ]
    return {
        "title": f"Agent benchmark results, {name}",
        "published": f"{at:%Y-%m-%d}",
        "revision": catalog.revision.number,
        "sha256": digest,
        "mirror": mirror.identity,
        "address": f"/?revision={catalog.revision.number}",
        "bibtex": "\n".join(lines),
    }
