"""Whatever goes wrong with tables or answers on the Hub leaves the last good mirror served, with the code of a folder."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders.hub import Hub, upload
from tests.space.publishing import CATALOG
from tests.space.readers import test_build
from tests.space.readers.hub.sources import COUNT, refresh_of, source_of
from tests.space.readers.test_refresh import append_record, next_revision


def publish_changed(root: Path, change: Callable[[Path], None]) -> None:
    """Make `change`, and a revision of the catalog after the one that was served before."""
    served = max((root / CATALOG / "revisions").iterdir(), key=lambda file: int(file.stem))
    before = served.read_bytes()
    change(root)
    next_revision(root)
    served.write_bytes(before)


WRONG = [
    (test_build.newer_version, "source.schema"),
    (test_build.missing_column, "source.schema"),
    (test_build.extra_column, "source.schema"),
    (test_build.repeated_key, "source.schema"),
    (test_build.missing_row, "source.checksum"),
    (test_build.missing_revision, "source.unreachable"),
    (test_build.wandering_dataset, "source.schema"),
    (test_build.long_texts, "source.too_large"),
]
DAMAGED = [
    (test_build.truncate, "source.checksum"),
    (test_build.flip, "source.checksum"),
    (test_build.remove, "source.unreachable"),
    (test_build.bad_catalog, "source.checksum"),
]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        pytest.param(change, code, id=change.__name__, marks=[] if place in {0, 4, 7} else pytest.mark.long)
        for place, (change, code) in enumerate(WRONG)
    ],
)
def test_what_is_wrong_with_the_tables_replaces_nothing(
    hub: Hub, root: Path, tmp_path: Path, change: Callable[[Path], None], code: str
) -> None:
    """With the code that a folder gives; the last good mirror is served."""
    upload(hub, root)
    refresh = refresh_of(source_of(hub, tmp_path))
    assert refresh.refresh().state == "ready"
    publish_changed(root, change)
    upload(hub, root)
    standing = refresh.refresh()
    assert (standing.state, standing.code) == ("stale", code)
    with refresh.lease() as mirror:
        assert mirror.rows(COUNT) == [{"n": 8}]
    refresh.close()


@pytest.mark.parametrize(("change", "code"), DAMAGED, ids=[fault.__name__ for fault, _ in DAMAGED])
def test_damaged_files_are_refused(hub: Hub, root: Path, tmp_path: Path, change: Callable[[Path], None], code: str) -> None:
    """With the code that a folder gives."""
    change(root)
    upload(hub, root)
    standing = refresh_of(source_of(hub, tmp_path)).refresh()
    assert (standing.state, standing.code) == ("failed", code)


ANSWERS: list[tuple[str, dict[str, bool], str]] = [
    ("404", {}, "source.unreachable"),
    ("403", {}, "source.unreachable"),
    ("429_quota", {}, "source.unreachable"),
    ("429_plain", {}, "source.unreachable"),
    ("500_lost", {}, "source.unreachable"),
    ("503", {}, "source.unreachable"),
    ("hang", {}, "source.unreachable"),
    ("drop_before", {}, "source.unreachable"),
    ("short_body", {}, "source.unreachable"),
    ("short_body", {"silent": True}, "source.checksum"),
    ("bit_flip", {}, "source.checksum"),
]


@pytest.mark.parametrize("fault", ANSWERS, ids=[f"{kind}-{code}" for kind, _, code in ANSWERS])
def test_a_fault_of_the_hub_replaces_nothing_and_is_met_once(
    hub: Hub, root: Path, tmp_path: Path, fault: tuple[str, dict[str, bool], str]
) -> None:
    """The code says what; one request is made, not several; afterwards the new revision is shown."""
    kind, given, code = fault
    upload(hub, root)
    refresh = refresh_of(source_of(hub, tmp_path))
    assert refresh.refresh().state == "ready"
    append_record(root, "withdrawn")
    upload(hub, root)
    route = "GET /_large/" if kind in {"short_body", "bit_flip"} else "resolve/.*/tables/"
    planted, before = hub.fail(route, kind, nth=0, **given), len(hub.calls())
    standing = refresh.refresh()
    assert (standing.state, standing.code, planted.fired) == ("stale", code, 1)
    assert len([call for call in hub.calls()[before:] if call.fault]) == 1
    with refresh.lease() as mirror:
        assert mirror.rows(COUNT) == [{"n": 8}]
    hub.heal()
    assert refresh.refresh().state == "ready"
    refresh.close()


@pytest.mark.parametrize(
    "kind", ["odd_json", pytest.param("404", marks=pytest.mark.long), pytest.param("500_lost", marks=pytest.mark.long)]
)
@pytest.mark.parametrize("route", ["GET /api/datasets/example/catalog$", "tree/", "paths-info"])
def test_a_fault_of_a_question_replaces_nothing(hub: Hub, root: Path, tmp_path: Path, kind: str, route: str) -> None:
    """Also where the answer is JSON of another shape; nothing is repeated behind the reader's back."""
    upload(hub, root)
    refresh = refresh_of(source_of(hub, tmp_path))
    assert refresh.refresh().state == "ready"
    append_record(root, "withdrawn")
    upload(hub, root)
    fault = hub.fail(route, kind, nth=0)
    standing = refresh.refresh()
    is_tree_of_nothing = route == "tree/" and kind == "404"
    assert (standing.state, fault.fired) == ("stale", 1)
    assert standing.code in {"source.unreachable", "source.schema", "source.missing", "source.rolled_back"}
    assert standing.code == "source.unreachable" or is_tree_of_nothing or kind == "odd_json" or route == "paths-info"
    hub.heal()
    assert refresh.refresh().state == "ready"
    refresh.close()
