"""Importing: sealed, published, verified and rebuilt like a run of ours, and never ranked; a killed one is finished."""

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runner.adapters.local.stores.results import LocalResults
from runner.domain import yields
from runner.evidence.reading import read_small
from runner.evidence.verification import verify_run
from runner.usecases.results.audit_tables import audit_tables
from runner.usecases.results.published_tables import PublishedTables, read_whole_publication
from runner.usecases.results.rebuild_tables import rebuild_tables
from runner.usecases.results.verify_row import EVIDENCE_READ, VerifyWorld, verify_row
from shared import paths
from shared.documents.evidence.bundle import Inventory
from shared.errors import Refused
from shared.ids import RunId
from tests.builders.houses import Place
from tests.builders.imports import CASES, JOBS, ORDER, alter_result, bring_in, copy_jobs, planned, trials_of


class Killed(BaseException):
    """The process ends here."""


@pytest.fixture(autouse=True)
def no_hook() -> Iterator[None]:
    """Leave no hook behind."""
    yield
    yields.install(lambda _name: None)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """An installation in which nothing has happened."""
    return Place(tmp_path / "here")


def published(place: Place, dataset: str = ORDER.dataset) -> PublishedTables:
    """Return the rows of the one publication."""
    store = place.house.results
    head = store.head(dataset)
    assert head is not None
    (publication,) = head.runs.values()
    return read_whole_publication(store, dataset, head, publication)


def rows(place: Place, table: str, dataset: str = ORDER.dataset) -> list[dict[str, Any]]:
    """Return the published rows of `table`."""
    columns = published(place, dataset).rows[table]
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def contents(path: Path) -> bytes:
    """Return what a stored file holds, unpacked."""
    if not path.is_file():
        return b""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def test_a_job_becomes_manual_results(place: Place) -> None:
    """With scores, without a rank, and with who and why in the catalog."""
    bring_in(place, planned(JOBS))
    cells = {row["agent_name"]: row for row in rows(place, "cells")}
    assert {name: row["score"] for name, row in cells.items()} == {"oracle": 1.0, "nop": 0.0}
    for row in cells.values():
        assert (row["kind"], row["quality"], row["ranked"]) == ("manual", "clean", False)
        assert row["unranked_reason"]
        assert row["model_revision"] in {"none", "not_observed"}
    (run,) = rows(place, "runs")
    assert (run["harbor_version"], run["source_type"], run["scored_trials"]) == ("0.26.0", "imported", 8)


def test_everything_of_it_verifies(place: Place) -> None:
    """Evidence, audit, each row down to its bundles, and a rebuild from evidence alone."""
    made = bring_in(place, planned(JOBS))
    run_id, store = RunId(planned(JOBS).record.run_id), place.house.results
    assert verify_run(place.house.evidence, run_id).statements == 8
    assert audit_tables(store, [ORDER.dataset], ORDER.catalog).findings == ()
    world = VerifyWorld(store, ORDER.catalog, place.house.evidence)
    assert verify_row(ORDER.dataset, None, "runs", run_id, world).level == EVIDENCE_READ
    again = LocalResults(place.folder / "again")
    (rebuilt,) = rebuild_tables([(run_id, ORDER.dataset)], lambda run: place.house.publish(run, again), store, again)
    assert (rebuilt.publication_id, rebuilt.differences) == (made.publication_id, ())


def test_every_case_becomes_what_it_must(place: Place) -> None:
    """The outcome and the reward that its classification gives, and nothing for an agent's zero that is no result."""
    bring_in(place, planned(CASES))
    trials = {row["task_name"]: row for row in rows(place, "trials") if row["attempts"]}
    attempts = {row["trial_id"]: row for row in rows(place, "attempts")}
    for name, expected in json.loads((CASES / "expected.json").read_bytes()).items():
        trial = trials[json.loads((CASES / f"{name}.json").read_bytes())["task_name"]]
        attempt = attempts[trial["trial_id"]]
        assert (trial["outcome"], trial["reward"]) == (expected["outcome"], expected["reward"]), name
        assert (attempt["state"], attempt["category"]) == (expected["attempt"], expected["category"]), name


def test_what_no_column_holds_is_not_observed(place: Place, tmp_path: Path) -> None:
    """A time before all clocks, a cost beyond all money: published without them, and readable for every program."""
    jobs = copy_jobs(tmp_path)
    for trial in trials_of(jobs):
        usage = {"n_input_tokens": 10, "n_output_tokens": 5, "cost_usd": 1e300}
        alter_result(trial, started_at="0001-01-01T00:00:00+14:00", finished_at="9999-12-31T23:59:59-14:00", agent_result=usage)
    bring_in(place, planned(jobs))
    assert {(row["started_at"], row["finished_at"]) for row in rows(place, "attempts")} == {(None, None)}
    assert {row["cost_usd_micros"] for table in ("trials", "cells") for row in rows(place, table)} == {None}


def test_what_is_not_whole_has_no_score(place: Place, tmp_path: Path) -> None:
    """A lost trial could have been anything."""
    jobs = copy_jobs(tmp_path)
    (trials_of(jobs)[0] / "result.json").unlink()
    bring_in(place, planned(jobs))
    assert {(row["quality"], row["score"], row["pass_rate"]) for row in rows(place, "cells")} == {("partial", None, None)}
    assert audit_tables(place.house.results, [ORDER.dataset], ORDER.catalog).findings == ()


def test_importing_twice_adds_nothing(place: Place, tmp_path: Path) -> None:
    """From another folder, by another person, for another reason: the first import stands."""
    made = bring_in(place, planned(JOBS))
    other = planned(copy_jobs(tmp_path), imported_by="somebody", reason="again", imported_at="2027-01-01T00:00:00.000Z")
    again = bring_in(place, other)
    assert (again.is_new, again.publication_id) == (False, made.publication_id)
    assert [row["requested_by"] for row in rows(place, "runs")] == ["tester"]


@pytest.mark.parametrize(
    ("point", "passage"),
    [
        ("import.before_record", 1),
        ("import.after_record", 1),
        ("import.before_trial", 3),
        ("evidence.before_file", 9),
        ("evidence.before_marker", 2),
        ("import.before_root", 1),
        ("evidence.before_cell", 2),
        ("evidence.before_root", 1),
        ("publish.after_rows", 1),
    ],
)
def test_a_killed_import_is_finished_by_the_next(place: Place, tmp_path: Path, point: str, passage: int) -> None:
    """In the same bytes as one that nobody killed, save when it was made."""
    undisturbed = Place(tmp_path / "undisturbed")
    bring_in(undisturbed, planned(JOBS))
    passed = 0

    def die(name: str) -> None:
        nonlocal passed
        passed += name == point
        if passed == passage:
            raise Killed

    yields.install(die)
    with pytest.raises(Killed):
        bring_in(place, planned(JOBS))
    yields.install(lambda _name: None)
    bring_in(place, planned(JOBS))
    assert published(place).receipt == published(undisturbed).receipt


def test_the_imported_folder_is_never_written_to(place: Place, tmp_path: Path) -> None:
    """Not a name, not a byte, not a time."""
    jobs = copy_jobs(tmp_path)
    before = {path: path.lstat().st_mtime_ns for path in jobs.rglob("*")}
    bring_in(place, planned(jobs))
    assert {path: path.lstat().st_mtime_ns for path in jobs.rglob("*")} == before
    assert not (place.folder / "importing").exists()


def test_what_is_no_plain_file_is_left_out_by_name(place: Place, tmp_path: Path) -> None:
    """Links, pipes and second names; what they point to is nowhere stored."""
    jobs, outside = copy_jobs(tmp_path), tmp_path / "outside"
    outside.write_text("not yours")
    trial = trials_of(jobs)[0]
    (trial / "verifier" / "link").symlink_to(outside)
    os.mkfifo(trial / "verifier" / "pipe")
    (trial / "verifier" / "twin").hardlink_to(outside)
    bring_in(place, planned(jobs))
    evidence = place.house.evidence
    inventories = [file.path for file in evidence.list("runs") if file.path.endswith(paths.INVENTORY)]
    left = {each.path: each.reason for path in inventories for each in Inventory.from_bytes(read_small(evidence, path)).left_out}
    assert left == {
        "harbor/verifier/link": "symbolic_link",
        "harbor/verifier/pipe": "not_a_regular_file",
        "harbor/verifier/twin": "hard_link",
    }


def test_no_secret_is_stored(place: Place, tmp_path: Path) -> None:
    """Values of this machine's secrets and what has a credential's shape, in any file of a trial."""
    jobs = copy_jobs(tmp_path)
    trial = trials_of(jobs)[0]
    (trial / "trial.log").write_text("key correct-horse-battery and hf_" + "b" * 30 + "\n")
    bring_in(place, planned(jobs), secrets={"KEY": "correct-horse-battery"})
    stored = b"".join(map(contents, (place.folder / "home" / "evidence").rglob("*")))
    assert b"[redacted:" in stored
    assert b"correct-horse" not in stored
    assert b"hf_bbbb" not in stored
    run_id = RunId(planned(jobs).record.run_id)
    assert verify_run(place.house.evidence, run_id).marker == "_SUCCESS"


def test_a_result_that_changes_meanwhile_is_refused(place: Place, tmp_path: Path) -> None:
    """What was planned is what is sealed, or nothing."""
    jobs = copy_jobs(tmp_path)
    plan = planned(jobs)
    alter_result(trials_of(jobs)[0], verifier_result={"rewards": {"reward": 1.0}})
    with pytest.raises(Refused, match="SOURCE_CHANGED"):
        bring_in(place, plan)
    assert place.house.results.head(ORDER.dataset) is None


def test_a_result_with_a_second_name_is_refused_with_what_to_do(place: Place, tmp_path: Path) -> None:
    """As in a folder that was copied with hard links; nothing changed, and saying so would lead nowhere."""
    jobs = copy_jobs(tmp_path)
    os.link(trials_of(jobs)[0] / "result.json", tmp_path / "elsewhere.json")
    with pytest.raises(Refused, match="SOURCE_LINKED"):
        bring_in(place, planned(jobs))
    assert place.house.results.head(ORDER.dataset) is None


def test_an_import_begun_elsewhere_says_what_it_needs(place: Place, tmp_path: Path) -> None:
    """The record stands, and a trial of it is in no folder of this one."""
    jobs = copy_jobs(tmp_path)
    yields.install(lambda name: (_ for _ in ()).throw(Killed()) if name == "import.after_record" else None)
    with pytest.raises(Killed):
        bring_in(place, planned(jobs))
    yields.install(lambda _name: None)
    plan = planned(jobs)
    with pytest.raises(Refused, match="SOURCE_MISSING"):
        bring_in(place, plan._replace(files={}))
