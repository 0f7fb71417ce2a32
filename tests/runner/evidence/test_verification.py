import io
import shutil
from pathlib import Path

import pytest

from runner.adapters.local.stores.evidence import LocalEvidenceStore
from runner.evidence.archive import ArchiveWriter
from runner.evidence.bundle import SealOrder, seal_attempt, seal_bundle
from runner.evidence.summaries import derive_run, seal_run_root
from runner.evidence.verification import RunVerification, verify_bundle, verify_run
from shared import ids, paths
from shared.documents.evidence.bundle import Marker
from shared.documents.evidence.evidence_statement import EvidenceStatement
from shared.errors import Refused, SeawallError
from tests.runner.evidence.trees import (
    ORDER,
    PREFIX,
    RUN,
    everything,
    forge,
    lost_trial,
    make_attempt,
    run_of,
    seal_trial_attempt,
)

WAVE = ids.wave_id(RUN, 1)


def seal_run(work: Path) -> LocalEvidenceStore:
    """Seal a run of two scored trials, a lost one and a wave, and return its store."""
    store = LocalEvidenceStore(work / "store")
    facts = [seal_trial_attempt(work, store, number, reward=0.5)[0] for number in (1, 2)]
    order = SealOrder(subject=WAVE, marker=Marker.SUCCESS, fence=1)
    wave = seal_bundle(paths.wave_prefix(RUN, WAVE), {"events.jsonl": b"{}\n"}, order, store)
    run = run_of(3)
    run.waves[WAVE] = wave.checksums_sha256  # type: ignore[index]  # the fixture's own dictionary
    seal_run_root(run, derive_run(run, [*facts, lost_trial(3)], store), store)
    return store


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a sealed run, read by several tests and changed by none."""
    work = tmp_path_factory.mktemp("run")
    seal_run(work)
    return work / "store"


def test_a_sealed_run_verifies(sealed: Path) -> None:
    """The report counts every bundle: root, wave, cell, three trials and two attempts."""
    report = verify_run(LocalEvidenceStore(sealed), RUN)
    assert isinstance(report, RunVerification)
    assert (report.bundles, report.statements, report.marker) == (8, 3, Marker.SUCCESS)
    markers = [path for path in everything(sealed) if path.rsplit("/", 1)[-1].startswith("_")]
    assert report.files == len(everything(sealed)) - 2 * len(markers)


def _kinds(sealed: Path) -> dict[str, str]:
    """Return one path of each kind of file: the path with its ids taken out -> the path."""
    return {"/".join(p for p in path.split("/") if "-" not in p or len(p) < 36): path for path in everything(sealed)}


def test_a_flipped_byte_in_any_kind_of_file_is_found_and_named(sealed: Path) -> None:
    """Each file of the run, one byte changed anywhere, is refused by its own path."""
    store = LocalEvidenceStore(sealed)
    kinds = _kinds(sealed)
    assert len(kinds) >= 20
    for path in kinds.values():
        data = (sealed / path).read_bytes()
        for at in sorted({0, len(data) // 2, len(data) - 1}):
            (sealed / path).write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
            try:
                with pytest.raises(SeawallError) as caught:
                    verify_run(store, RUN)
            finally:
                (sealed / path).write_bytes(data)
            is_marker = path.rsplit("/", 1)[-1].startswith("_")
            assert caught.value.field == path or (is_marker and caught.value.field == f"{path.rpartition('/')[0]}/checksums.json")
            assert caught.value.code == "EVIDENCE_BROKEN"
    verify_run(store, RUN)


def test_a_removed_file_of_any_kind_is_found(sealed: Path) -> None:
    """Each file of the run, taken away, makes the run unverifiable."""
    store = LocalEvidenceStore(sealed)
    for path in _kinds(sealed).values():
        data = (sealed / path).read_bytes()
        (sealed / path).unlink()
        try:
            with pytest.raises(SeawallError) as caught:
                verify_run(store, RUN)
        finally:
            (sealed / path).write_bytes(data)
        assert caught.value.field in {path, path.rsplit("/", 1)[0]}


def test_an_added_file_is_found(tmp_path: Path) -> None:
    """A file that no checksums list breaks its bundle."""
    store = LocalEvidenceStore(tmp_path / "store")
    seal_attempt(make_attempt(tmp_path / "a"), PREFIX, ORDER, store)
    store.put(f"{PREFIX}/harbor/late.json", b"{}")
    with pytest.raises(SeawallError, match="checksums do not list") as caught:
        verify_bundle(store, PREFIX)
    assert caught.value.field == f"{PREFIX}/harbor/late.json"


def test_a_whole_attempt_replaced_by_another_sealed_one_is_found(tmp_path: Path) -> None:
    """A bundle that verifies by itself still has to be the one that its trial names."""
    store = seal_run(tmp_path)
    files = everything(tmp_path / "store")
    attempts = sorted({path.split("/checksums.json")[0] for path in files if "/attempts/" in path and "checksums" in path})
    other = {path.removeprefix(attempts[1]): data for path, data in files.items() if path.startswith(attempts[1])}
    for below, data in other.items():
        (tmp_path / "store" / (attempts[0] + below)).write_bytes(data)
    verify_bundle(store, attempts[0])
    with pytest.raises(SeawallError, match="not the one that its parent names"):
        verify_run(store, RUN)


def test_statements_say_what_the_bundles_hold(sealed: Path) -> None:
    """A scored trial's line has its bundle's digest and sizes; a lost trial's line has none."""
    lines = (sealed / paths.evidence_statements(RUN, 1)).read_bytes().splitlines()
    by_outcome = {str(s.outcome): s for s in map(EvidenceStatement.from_bytes, lines)}
    scored = by_outcome["scored"]
    attempt = next(path for path in everything(sealed) if str(scored.attempt_id) in path and path.endswith("/_SUCCESS"))
    bundle = verify_bundle(LocalEvidenceStore(sealed), attempt.removesuffix("/_SUCCESS"))
    assert (scored.bundle_sha256, scored.files, scored.bytes) == (bundle.checksums_sha256, bundle.files, bundle.bytes)
    lost = by_outcome["infrastructure_exhausted"]
    assert (lost.attempt_id, lost.bundle_sha256, lost.reward, lost.files) == (None, None, None, 0)


def _attempt_prefix(store: LocalEvidenceStore) -> str:
    return next(file.path for file in store.list("runs") if file.path.endswith("/attempt.json")).rpartition("/")[0]


def test_a_forged_archive_is_found_through_the_inventory(tmp_path: Path) -> None:
    """An archive whose checksums and marker were made to agree still has to hold the inventory's files."""
    store = seal_run(tmp_path)
    prefix = _attempt_prefix(store)
    packed = io.BytesIO()
    with ArchiveWriter(packed) as archive:
        archive.begin("harbor/agent/other.txt", 5, is_executable=False)
        archive.write(b"other")
        archive.close()
    forge(store, prefix, {paths.ARCHIVE: packed.getvalue()})
    with pytest.raises(Refused, match="EVIDENCE_BROKEN") as caught:
        verify_bundle(store, prefix)
    assert caught.value.field.startswith(f"{prefix}/artifacts.tar.gz!harbor/")


def test_a_forged_loose_file_is_found_through_the_inventory(tmp_path: Path) -> None:
    """A reward changed together with checksums and marker differs from the inventory."""
    store = seal_run(tmp_path)
    prefix = _attempt_prefix(store)
    forge(store, prefix, {"harbor/result.json": b'{"verifier_result":{"rewards":{"reward":1}}}'})
    with pytest.raises(Refused, match="different loose files"):
        verify_bundle(store, prefix)


def test_a_forged_bundle_that_verifies_by_itself_is_found_from_its_parent(tmp_path: Path) -> None:
    """A wave rewritten with checksums and marker is not the one that the root names."""
    store = seal_run(tmp_path)
    prefix = paths.wave_prefix(RUN, WAVE)
    forge(store, prefix, {"events.jsonl": b""})
    verify_bundle(store, prefix)
    with pytest.raises(Refused, match="not the one that its parent names") as caught:
        verify_run(store, RUN)
    assert caught.value.field == f"{prefix}/checksums.json"


@pytest.mark.parametrize("change", ["reward", "dropped", "added", "spaced"])
def test_a_forged_statement_is_found(tmp_path: Path, change: str) -> None:
    """Statements rewritten in a resealed root differ from what the trials' own bundles say."""
    store = seal_run(tmp_path)
    path = paths.evidence_statements(RUN, 1)
    lines = (store.root / path).read_bytes()
    forged = {
        "reward": lines.replace(b'"reward":0.5', b'"reward":0.75', 1),
        "dropped": lines.partition(b"\n")[2],
        "added": lines + lines.partition(b"\n")[0] + b"\n",
        "spaced": lines.replace(b'"reward":0.5', b'"reward": 0.5', 1),
    }[change]
    assert forged != lines
    forge(store, paths.run_prefix(RUN), {path.rsplit("/", 1)[1]: forged})
    with pytest.raises(Refused, match="EVIDENCE_BROKEN"):
        verify_run(store, RUN)


def test_a_marker_in_another_layout_is_found(tmp_path: Path) -> None:
    """A marker that says the same in other bytes is not the one that was sealed."""
    store = seal_run(tmp_path)
    path = store.root / paths.wave_prefix(RUN, WAVE) / "_SUCCESS"
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(Refused, match="canonical form"):
        verify_run(store, RUN)


def test_a_copy_verifies_offline(sealed: Path, tmp_path: Path) -> None:
    """A copy of the files in another folder gives the same report, and may lie beside other runs."""
    shutil.copytree(sealed, tmp_path / "copy")
    assert verify_run(LocalEvidenceStore(tmp_path / "copy"), RUN) == verify_run(LocalEvidenceStore(sealed), RUN)
