"""Results that were made elsewhere, in a mirror: shown with their scores, withheld nowhere, ranked nowhere."""

from pathlib import Path

from space.queries.statement import Statement
from tests.builders.houses import Place
from tests.builders.imports import JOBS, bring_in, planned
from tests.space.publishing import mirror_of


def test_an_import_is_read_whole(tmp_path: Path) -> None:
    """Every number agrees with its trials, so no cell is withheld."""
    place = Place(tmp_path / "here")
    bring_in(place, planned(JOBS))
    mirror = mirror_of(place.house.settings.results, tmp_path / "mirror")
    found = mirror.rows(Statement("SELECT agent_name, kind, ranked, score FROM cell ORDER BY agent_name"))
    assert found == [
        {"agent_name": "nop", "kind": "manual", "ranked": False, "score": 0.0},
        {"agent_name": "oracle", "kind": "manual", "ranked": False, "score": 1.0},
    ]
