"""The published models by name, with counts of their cells; no average over editions or benchmarks."""

from typing import Final

from space.listings.listing import Field, Listing
from space.queries.choosing.subjects import subjects

LISTING: Final = Listing(
    name="models",
    title="Models",
    parameters=frozenset({"benchmark", "q", "reruns", "roles"}),
    fields=(
        Field("model_repo"),
        Field("cells", "int", "cells over all editions; of reruns the newest"),
        Field("ranked_cells", "int"),
        Field("benchmarks", "int"),
        Field("editions", "int"),
        Field("agents", "int"),
        Field("newest", "time", "when the newest of its cells was completed"),
    ),
    ask=lambda view, _mirror: subjects(view, "model"),
)
