"""The published benchmarks, published last first, with counts of what was measured on each; no score over several of them."""

from typing import Final

from space.listings.listing import Field, Listing
from space.queries import leaderboard as query

LISTING: Final = Listing(
    name="benchmarks",
    title="Benchmarks",
    parameters=frozenset(),
    fields=(
        Field("benchmark"),
        Field("cells", "int", "standing cells over all editions; of reruns the newest"),
        Field("models", "int"),
        Field("agents", "int"),
        Field("newest", "time", "when the newest of its cells was completed"),
    ),
    ask=lambda _view, _mirror: query.benchmarks(),
)
