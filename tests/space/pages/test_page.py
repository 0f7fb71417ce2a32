"""The navigation and what stands below every page: which pages are quiet, and everything that the numbers hang on."""

import re
from pathlib import Path

import pytest

from shared.tables.registry import TABLES
from space.answer import answer
from space.app_revision import LICENCE, app_revision, schema_versions
from space.pages.page import Page, discover, has_rows, navigation
from space.readers.folder import FolderSource
from space.readers.mirror import Mirror
from space.readers.refresh import Refresh
from tests.space.pages.test_numbers import plain
from tests.space.served import settings_for

ROOT = Path(__file__).parents[3]


def test_pages_without_a_row_stand_last_and_are_quiet(works_mirror: Mirror) -> None:
    """Trainings and releases stay in the navigation, after the request and marked, as long as nothing of them is published."""
    for found in (navigation(works_mirror), navigation()):
        assert [title for _, title in found.quiet] == ["Trainings", "Releases"]
        assert [title for _, title in found.main][-2:] == ["About", "Request"]


@pytest.mark.parametrize(("lists", "is_there"), [(("trainings", "cells"), True), (("trainings", "snapshots"), False)])
def test_one_row_of_one_list_ends_the_quiet(works_mirror: Mirror, lists: tuple[str, ...], *, is_there: bool) -> None:
    """Of all lists that a page is about."""
    page = Page("x", "X", frozenset(), discover()[0].show, quiet_without=lists)
    assert has_rows(page, works_mirror) is is_there
    assert not has_rows(page, None)


def test_the_footer_says_what_the_numbers_hang_on(works: Path, tmp_path: Path) -> None:
    """Mirror, catalog revision, last publication and check, schema versions, app revision, licence; stale since only if it is."""
    made = Refresh(FolderSource(works), memory_mib=256, clock=lambda: 86_400.0, mirrors_below=tmp_path)
    made.refresh()
    foot = plain(answer(discover()[0], "", made, settings_for(works)).split('class="foot"')[1])
    for said in (
        r"mirror [0-9a-f]{12} ",
        r"catalog revision example/catalog@1 ",
        r"last publication 20\d\d-",
        r"last check 1970-01-02 00:00:00 UTC",
        rf"schema versions {re.escape(schema_versions())} ",
        rf"app revision {app_revision()[:12]} ",
        rf"licence {LICENCE} ",
    ):
        assert re.search(said, foot), said
    assert "stale since" not in foot


def test_the_footer_says_since_when_it_is_stale(works: Path, tmp_path: Path) -> None:
    """The time of the first check that failed, not of the last."""
    hour = [0]
    root = tmp_path / "results"
    root.symlink_to(works)
    made = Refresh(FolderSource(root), memory_mib=256, clock=lambda: 3_600.0 * hour[0], mirrors_below=tmp_path)
    made.refresh()
    root.unlink()
    for hour[0] in (1, 2):
        assert made.refresh().state == "stale"
    foot = plain(answer(discover()[0], "", made, settings_for(works)).split('class="foot"')[1])
    assert "last check 1970-01-01 00:00:00 UTC stale since 1970-01-01 01:00:00 UTC" in foot


def test_the_revision_of_the_app_is_that_of_its_files(tmp_path: Path) -> None:
    """Equal files give an equal revision; one byte, another path or one file more another; what is no source does not count."""
    for house in ("space", "shared"):
        (tmp_path / house).mkdir()
        (tmp_path / house / "one.py").write_text("x = 1\n", encoding="utf-8")
    first = app_revision(tmp_path)
    (tmp_path / "space/notes.txt").write_text("no source", encoding="utf-8")
    app_revision.cache_clear()
    assert app_revision(tmp_path) == first
    (tmp_path / "space/one.py").write_text("x = 2\n", encoding="utf-8")
    app_revision.cache_clear()
    assert app_revision(tmp_path) != first


def test_versions_and_licence_are_those_of_the_repository() -> None:
    """As the tables declare them, and as the front matter of the Space says."""
    declared = sorted({table.version for table in TABLES.values()})
    assert schema_versions().startswith(f"tables {', '.join(str(version) for version in declared)};")
    assert f"license: {LICENCE.lower()}\n" in (ROOT / "README.md").read_text(encoding="utf-8")
