"""Paths: built in one place, and nothing unsafe gets in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared import paths
from shared.digests import sha256
from shared.ids import AttemptId, CellId, PublicationId, RunId, TrialId, WaveId
from shared.paths import check_relative

BAD = [
    "",
    ".",
    "..",
    "/a",
    "a/",
    "a//b",
    "a/./b",
    "a/../b",
    "../a",
    "a\\b",
    "a\0b",
    "a\nb",
    "a\x7fb",
    "e\u0301",
    "a/\ud800",
    "a" * 513,
    "/".join("a" * 33),
]


@pytest.mark.parametrize("path", BAD)
def test_an_unsafe_path_is_refused(path: str) -> None:
    """Absolute, climbing, odd or too long."""
    with pytest.raises(ValueError, match="expected"):
        check_relative(path)


@pytest.mark.parametrize("path", ["a", "a/b.json", "é/名", ".hidden", "...", "a b", "/".join("a" * 32), "a" * 512])
def test_a_safe_path_is_returned(path: str) -> None:
    """Unchanged."""
    assert check_relative(path) == path


@given(st.text(max_size=40))
def test_what_is_accepted_stays_below_its_folder(path: str) -> None:
    """Whatever the text."""
    import posixpath

    try:
        check_relative(path)
    except ValueError:
        return
    assert posixpath.normpath(posixpath.join("/base", path)) == f"/base/{path}"


def test_every_built_path_is_safe() -> None:
    """And each thing has a place of its own."""
    run, cell, trial, attempt = RunId("run-1"), CellId("cell-1"), TrialId("trial-1"), AttemptId("att-1")
    wave, publication = WaveId("wave-1"), PublicationId("pub-1")
    built = [
        paths.run_prefix(run),
        paths.wave_prefix(run, wave),
        paths.progress_segment(run, wave, 1),
        paths.cell_prefix(run, cell),
        paths.trial_prefix(run, cell, trial),
        paths.attempt_prefix(run, cell, trial, attempt),
        paths.evidence_statements(run, 1),
        paths.object_path(sha256(b"")),
        paths.table_file("cells", "starter", publication, 1),
        paths.receipt_file(publication),
        paths.revision_file(1),
        paths.lock_file(run),
        paths.published_checksums(run),
        paths.published_statements(run, 1),
    ]
    assert [check_relative(path) for path in built] == built
    assert len(set(built)) == len(built)
