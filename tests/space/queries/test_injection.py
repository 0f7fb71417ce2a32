"""What a visitor writes into an address is a value and nothing else: 50 payloads in each key find what Python finds."""

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlencode

import pytest

from shared.errors import Refused
from space.listings.listing import Listing, discover, read_whole
from space.queries.statement import Statement
from space.queries.view import parse
from space.readers.mirror import Mirror

type Rows = list[dict[str, Any]]
type Filter = Callable[[dict[str, Any], str], bool]

LISTS: Final = discover()
_ENDS: Final = ("--", "/*", "#", ";--", "")
_PAYLOADS: Final = (
    *(f"' OR 1=1 {end}" for end in _ENDS),
    *(f'" OR ""=" {end}' for end in _ENDS),
    *(f"'); DROP TABLE cell; {end}" for end in _ENDS),
    *(f"x' UNION SELECT * FROM cell {end}" for end in _ENDS),  # noqa: S608 - what an attacker would write
    *(f"example/coral-7b' OR 'a'='a {end}" for end in _ENDS),
    *(f"shell) OR (true {end}" for end in _ENDS),
    "%", "_", "%%%", "\\", "\\'", "''", "'''", "?", "$1", "{where}", "' || model_repo || '", "1; SELECT 1", "NULL", "true", "*",
    "read_csv('/etc/passwd')", "[]", "::VARCHAR[]", "latest' OR reruns='all", "\u2019 OR 1=1",
)  # fmt: skip


def one_of(column: str) -> Filter:
    """Return the filter of a comma list of exact values."""
    return lambda row, text: row[column] in {part for part in text.split(",") if part}


def equal(column: str) -> Filter:
    """Return the filter of one exact value."""
    return lambda row, text: row[column] == text


def found_in(row: dict[str, Any], text: str) -> bool:
    """Return whether model, agent or cell id contains `text` literally."""
    return any(text.lower() in row[column].lower() for column in ("model_repo", "agent_name", "cell_id"))


def whatever(_row: dict[str, Any], _text: str) -> bool:
    """Keep every row: no payload is a value of the key."""
    return True


LISTED: Final[dict[str, Filter]] = {
    "models": one_of("model_repo"), "agents": one_of("agent_name"), "deployments": one_of("deployment_id"),
    "providers": one_of("provider"), "hardware": one_of("hardware"), "quality": one_of("quality"), "kind": one_of("kind"),
}  # fmt: skip
KEYS: Final[dict[tuple[str, str], Filter]] = {
    **{("cells", key): kept for key, kept in LISTED.items()},
    **{("leaderboard", key): kept for key, kept in LISTED.items()},
    **{(name, "q"): found_in for name in ("cells", "leaderboard")},
    ("cells", "model"): equal("model_repo"),
    ("cells", "agent"): equal("agent_name"),
    **{("cells", key): equal(key) for key in ("benchmark", "cell_id")},
    ("leaderboard", "benchmark"): equal("benchmark"),
    **{("cells", key): whatever for key in ("edition", "reruns", "roles", "max_cost")},
    **{("leaderboard", key): whatever for key in ("edition", "sort", "dir", "page", "per_page", "revision")},
    ("trials", "task"): equal("task_name"),
    ("trials", "outcomes"): one_of("outcome"),
    **{("trials", key): equal(key) for key in ("run_id", "cell_id")},
    **{("attempts", key): equal(key) for key in ("trial_id", "attempt_id")},
    ("tasks", "task"): equal("task_name"),
    ("models", "q"): lambda row, text: text.lower() in row["model_repo"].lower(),
}


def rows_of(listing: Listing, query: str, mirror: Mirror) -> Rows:
    """Return the rows that `query` asks for; none where it names something that nobody published."""
    try:
        return read_whole(listing, parse(listing.name, query, {*listing.parameters, "page", "per_page"}), mirror).published
    except Refused as refused:
        if refused.code == "view.not_published":
            return []
        raise


def test_there_are_fifty_payloads() -> None:
    """Each another one."""
    assert len(set(_PAYLOADS)) == 50


@pytest.mark.parametrize(("name", "key"), list(KEYS), ids=lambda text: text)
def test_a_payload_finds_what_a_filter_in_python_finds(works_mirror: Mirror, name: str, key: str) -> None:
    """A value is compared as text; what is no value of the key leaves the list as it is."""
    listing, keeps = LISTS[name], KEYS[name, key]
    whole = rows_of(listing, "", works_mirror)
    assert whole
    for payload in _PAYLOADS:
        query = urlencode({key: payload})
        is_value = not parse(name, query, {*listing.parameters, "page", "per_page"}).ignored and bool(payload.strip())
        expected = [row for row in whole if keeps(row, payload)] if is_value else whole
        assert rows_of(listing, query, works_mirror) == expected, payload


def test_nothing_was_changed(works_mirror: Mirror) -> None:
    """The table that the payloads name is still there."""
    found = works_mirror.one(Statement("SELECT count(*) AS cells FROM cell"))
    assert found is not None
    assert found["cells"] > 10
