"""The view codec never fails, is canonical, and reads back what it writes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from space.pages.page import discover
from space.queries.view import MAX_MARKED, MAX_QUERY_BYTES, View, address, format_query, parse

PARAMETERS = frozenset().union(*(page.parameters for page in discover()))
QUERIES = st.one_of(
    st.binary(max_size=400),
    st.lists(st.tuples(st.sampled_from(sorted(PARAMETERS)), st.text(max_size=120)).map("=".join), max_size=8).map(
        lambda parts: "&".join(parts).encode("utf-8", "replace")
    ),
)


@given(QUERIES)
@settings(max_examples=400, deadline=None)
def test_what_is_written_reads_back_as_the_same_view(query: bytes) -> None:
    """parse(format(v)) equals v for every view that any bytes can make."""
    view = parse("", query, PARAMETERS)
    written = format_query(view)
    assert len(written) <= MAX_QUERY_BYTES
    assert parse("", written, PARAMETERS) == view
    assert format_query(parse("", written, PARAMETERS)) == written


def test_a_megabyte_is_cut_before_it_is_read() -> None:
    """What stands beyond 2,048 bytes has no effect."""
    query = b"q=" + b"a" * 90 + b"&" + b"x=1&" * 600 + b"benchmark=starter" * 60_000
    assert parse("", query, PARAMETERS).values == {"q": "a" * 90}


@pytest.mark.parametrize("joint", [",", "&cells="], ids=["link", "form"])
def test_as_many_marks_as_are_promised_are_kept(joint: str) -> None:
    """As a link writes them and as a form sends them, under a theme."""
    marks = tuple(f"cell-{number:032x}" for number in range(MAX_MARKED))
    view = parse("compare", f"__theme=light&cells={joint.join(marks)}", PARAMETERS)
    assert (view.texts("cells"), view.ignored) == (marks, ())


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("page=0", "page"),
        ("page=-3", "page"),
        ("page=1e9", "page"),
        ("per_page=7", "per_page"),
        ("sort=name", "sort"),
        ("dir=up", "dir"),
        ("benchmark=../x", "benchmark"),
        ("benchmark=Starter", "benchmark"),
        ("edition=zz", "edition"),
        ("cell_id=" + "a" * 64, "cell_id"),
        ("q=" + "a" * 101, "q"),
        ("models=" + "m" * 201, "models"),
        ("task=%00", "task"),
    ],
)
def test_a_bad_value_becomes_the_default_and_is_named(query: str, key: str) -> None:
    """The key of a bad value stands in `ignored`, its value is the default."""
    view = parse("", query, PARAMETERS)
    assert view.ignored == (key,)
    assert view.values == {}


def test_unknown_keys_and_defaults_leave_no_trace() -> None:
    """Unknown keys are dropped silently, defaults are left out of the canonical query, lists are sorted."""
    view = parse("", "utm_source=x&sort=score&page=1&models=b,a&models=c", PARAMETERS)
    assert format_query(view) == "models=a,b,c"
    assert view.ignored == ()


def test_only_the_keys_of_the_page_are_read() -> None:
    """A page sees the keys that it declares and no others."""
    assert parse("about", "cell_id=cell-1&q=x", frozenset()).values == {}


def test_an_address_starts_at_its_own_page() -> None:
    """Addresses are relative to this site."""
    assert address(View("cell", {"cell_id": "cell-1"})) == "/cell?cell_id=cell-1"
    assert address(View("", {})) == "/"
