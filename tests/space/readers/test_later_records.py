"""The records that requests leave in a catalog, as a mirror reads them: private ones count, withdrawn ones do not stand."""

from pathlib import Path

from space.queries.choosing.history import kept_private
from space.queries.statement import Statement
from space.readers.build import build_mirror, revisions_of
from space.readers.folder import FolderSource
from tests.builders.houses import Place
from tests.builders.requests import ALICE, MIA, ask, ask_run, offered, rules, run_request, status_of


def test_a_mirror_reads_what_requests_leave_behind(tmp_path: Path) -> None:
    """Of three runs of one cell one was kept private, one withdrawn, one published: the cell page counts and ranks so."""
    place = Place(tmp_path)
    place.rules = rules()
    offer = offered(place)
    private, withdrawn, public = (
        ask_run(place, actor, run_request(offer, agents=("oracle",)), number)
        for number, actor in enumerate((ALICE, MIA, MIA), start=1)
    )
    place.settle()
    ask(place, "consent", ALICE, private, decision="private")
    ask(place, "withdraw", MIA, withdrawn, publication_id=status_of(place, withdrawn).publication_id, reason="a wrong model")
    place.settle()
    source = FolderSource(place.house.settings.results)
    mirror = build_mirror(source, revisions_of(source, source.catalog(), tmp_path / "scratch"), tmp_path / "mirror", 512)
    cells = mirror.rows(Statement("SELECT run_id, record, stands, record_reason, cell_digest FROM cell ORDER BY run_id", ()))
    assert [(row["run_id"], row["record"], row["stands"]) for row in cells] == [
        (withdrawn, "withdrawn", False),
        (public, "published", True),
    ]
    assert cells[0]["record_reason"] == "a wrong model"
    counted = mirror.one(kept_private(cells[0]["cell_digest"]))
    assert counted is not None
    assert counted["runs"] == 1
