"""Reading a list: a page of it, or the whole, each row once and in the order of the statement."""

import pytest

from shared.errors import Refused
from space.listings.listing import FEW, Field, Listing, read, read_whole
from space.queries.statement import Statement
from space.queries.view import View
from space.readers.engine import Row
from space.readers.mirror import Mirror


def numbers(total: int, seen: list[int]) -> Listing:
    """Return a list of the first `total` numbers; `seen` grows by each row that is derived."""

    def derive(_view: View, _mirror: Mirror, rows: list[Row]) -> list[Row]:
        seen.extend(row["number"] for row in rows)
        return rows

    asked = Statement("SELECT range AS number FROM range(?) ORDER BY number", (total,))
    return Listing("numbers", "Numbers", frozenset(), (Field("number", "int"),), lambda _view, _mirror: asked, derive)


@pytest.mark.parametrize("total", [0, 1, FEW - 1, FEW, FEW + 1, 3 * FEW])
def test_a_whole_list_reads_each_row_once(works_mirror: Mirror, total: int) -> None:
    """However long it is, and in order."""
    seen: list[int] = []
    whole = read_whole(numbers(total, seen), View("", {}), works_mirror)
    assert [row["number"] for row in whole.rows] == seen == list(range(total))
    assert (whole.total, whole.page, whole.pages) == (total, 1, 1)


def test_pages_together_are_the_list(works_mirror: Mirror) -> None:
    """The last one is short, and what lies beyond it is the last one."""
    listing = numbers(25, [])
    pages = [read(listing, View("", {"page": page}), works_mirror, per_page=10) for page in (1, 2, 3, 4)]
    assert [row["number"] for page in pages[:3] for row in page.rows] == list(range(25))
    assert (pages[3].page, pages[3].rows) == (3, pages[2].rows)


def test_a_list_beyond_the_limit_is_refused_after_its_beginning(works_mirror: Mirror) -> None:
    """Its length is counted, not read."""
    seen: list[int] = []
    with pytest.raises(Refused, match="the list has 1,000 rows, an answer at most 100"):
        read_whole(numbers(1_000, seen), View("", {}), works_mirror, 100)
    assert len(seen) == FEW
