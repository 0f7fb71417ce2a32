"""The command line as a person and a program meet it: help, answers, errors, exit codes."""

import errno
import json
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from runner.cli.main import build_parser, main
from runner.cli.registry import NOUNS
from runner.config import CHECKOUT
from runner.domain import yields
from shared import paths
from shared.ids import RunId
from tests.builders.forger import CATALOG, DATASET

CASES = CHECKOUT / "tests" / "data" / "harbor-results"
VERBS = [(noun, verb.name) for noun, (_, verbs) in NOUNS.items() for verb in verbs]


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """Return exit code and answer of a command with --json."""
    exit_code = main([*arguments, "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert set(found) == {"ok", "code", "message", "ids", "result"}
    assert found["ok"] == (exit_code == 0)
    return exit_code, found


@pytest.mark.parametrize(("noun", "verb"), VERBS)
def test_every_verb_has_an_example_that_parses(noun: str, verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The one that its help shows."""
    with pytest.raises(SystemExit) as ended:
        main([noun, verb, "--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert "Example: python -m runner" in shown
    import shlex

    (example,) = [each.example for each in NOUNS[noun][1] if each.name == verb]
    assert build_parser().parse_args(shlex.split(example)).verb.name == verb


@pytest.mark.parametrize(
    "arguments", [[], ["run"], ["run", "no-such-verb"], ["run", "status"], ["results", "rebuild"], ["run", "list", "--x"]]
)
def test_arguments_that_do_not_parse_exit_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """With the usage on standard error, or as one document."""
    assert (main(arguments), "usage:" in capsys.readouterr().err) == (2, True)
    exit_code, found = call(capsys, *arguments)
    assert (exit_code, found["code"]) == (2, "ARGUMENT_INVALID")


def test_an_error_is_one_document_with_json(installation: RunId, capsys: pytest.CaptureFixture[str]) -> None:
    """Code, message, field and way out."""
    exit_code, found = call(capsys, "run", "status", "ffffffffffff")
    assert (exit_code, found["code"], installation != "") == (3, "NOT_FOUND", True)
    assert found["result"] == {"field": "RUN", "way_out": "`run list` shows the runs."}


def test_an_error_is_one_line_for_people(installation: RunId, capsys: pytest.CaptureFixture[str]) -> None:
    """On standard error, nothing on standard output."""
    assert main(["run", "status", "ffffffffffff"]) == 3
    out, err = capsys.readouterr()
    assert (out, err.startswith("NOT_FOUND: RUN: ")) == ("", True)
    assert installation


def test_a_run_is_found_by_the_end_of_its_id(installation: RunId, capsys: pytest.CaptureFixture[str]) -> None:
    """Its status says the same as the list."""
    _, one = call(capsys, "run", "status", installation[-6:])
    _, every = call(capsys, "run", "list")
    assert (one["ids"], one["result"]["label"]) == ({"run_id": installation}, "clean")
    assert every["result"] == [one["result"]]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["run", "plan", "no-such-file.yaml"], "MANIFEST_MISSING"),
        (["run", "reconcile"], "ARGUMENT_MISSING"),
        (["run", "reconcile", ""], "ARGUMENT_INVALID"),
        (["run", "status", ""], "ARGUMENT_INVALID"),
        (["results", "verify-row", "local/starter@x", "cells", "k"], "REVISION_INVALID"),
        (["results", "verify-row", "local/starter@", "cells", "k"], "REVISION_INVALID"),
        (["results", "verify-row", "local/starter@0", "cells", "k"], "REVISION_INVALID"),
        (["results", "verify-row", "local/starter@\u0661", "cells", "k"], "REVISION_INVALID"),
        (["results", "verify-row", "local/starter@" + "9" * 5000, "cells", "k"], "REVISION_INVALID"),
        (["results", "verify-row", "local/catalog", "cells", "k"], "DATASET_KIND"),
        (["results", "verify-row", "local/starter", "nothing", "k"], "TABLE_UNKNOWN"),
        (["results", "verify-row", "local/starter", "catalog", "k"], "TABLE_UNKNOWN"),
        (["harness", "classify", "no-such-file.json"], "PATH_NOT_FOUND"),
    ],
)
def test_bad_input_exits_2(installation: RunId, arguments: list[str], code: str, capsys: pytest.CaptureFixture[str]) -> None:
    """And says what was expected."""
    exit_code, found = call(capsys, *arguments)
    assert (exit_code, found["code"], bool(installation)) == (2, code, True)


def test_a_bad_setting_exits_2(installation: RunId, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It names the setting."""
    monkeypatch.setenv("SEAWALL_SERVERS", "here=ftp://x")
    exit_code, found = call(capsys, "run", "list")
    assert (exit_code, found["code"], found["result"]["field"]) == (2, "SETTING_INVALID", "SEAWALL_SERVERS")
    assert installation


def test_planning_without_harbor_says_how_to_install_it(installation: RunId, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is planned on a guess."""
    exit_code, found = call(capsys, "run", "plan", str(CHECKOUT / "benchmarks" / "starter.yaml"))
    assert (exit_code, found["code"], "harness install" in found["result"]["way_out"]) == (3, "HARNESS_MISSING", True)
    assert installation


def test_a_cancel_can_be_tried_dry(installation: RunId, capsys: pytest.CaptureFixture[str]) -> None:
    """It prints the id that the request would have, and puts nothing."""
    exit_code, found = call(capsys, "run", "cancel", installation, "--dry-run")
    assert (exit_code, set(found["ids"])) == (0, {"run_id", "request_id"})
    _, passed = call(capsys, "run", "reconcile", "--all")
    assert passed["result"]["events"] == 0


def test_a_cancel_of_a_finished_run_changes_nothing(installation: RunId, capsys: pytest.CaptureFixture[str]) -> None:
    """It is taken, refused in the journal, and gone from the inbox."""
    call(capsys, "run", "cancel", installation, "--reason", "late")
    assert call(capsys, "run", "reconcile", "--all", "--watch")[0] == 0
    assert call(capsys, "run", "status", installation)[1]["result"]["label"] == "clean"


def test_published_results_are_listed_audited_and_verified(installation: RunId, capsys: pytest.CaptureFixture[str]) -> None:
    """Everything holds."""
    _, listed = call(capsys, "results", "list")
    assert [each["dataset"] for each in listed["result"]] == [CATALOG, DATASET]
    exit_code, audited = call(capsys, "results", "audit")
    assert (exit_code, audited["result"]["findings"]) == (0, [])
    exit_code, verified = call(capsys, "results", "verify-row", DATASET, "runs", installation)
    assert (exit_code, verified["result"]["level"]) == (0, "evidence: digests only")
    evidence = call(capsys, "evidence", "verify", installation)[1]
    assert evidence["result"]["marker"] == "_SUCCESS"


def test_a_broken_dataset_is_named_and_hides_no_other(
    installation: RunId, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The list shows the rest; a rebuild takes the runs from the log and says which dataset it could not read."""
    (tmp_path / "results" / DATASET / "revisions" / "1.json").write_text("{")
    exit_code, found = call(capsys, "results", "list")
    assert (exit_code, found["code"]) == (3, "RESULT_BROKEN")
    assert [(each["dataset"], each.get("code"), each.get("field")) for each in found["result"]] == [
        (CATALOG, None, None),
        (DATASET, "RESULT_BROKEN", "1.json"),
    ]
    exit_code, found = call(capsys, "results", "rebuild", "--into", str(tmp_path / "again"))
    assert (exit_code, found["code"]) == (3, "REBUILD_DIFFERS")
    (made,) = found["result"]
    assert (made["run_id"], made["equal"]) == (installation, False)
    assert f"{DATASET}: 1.json:" in made["differences"][0]


def test_a_broken_catalog_stops_no_rebuild(installation: RunId, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is what is different."""
    (tmp_path / "results" / CATALOG / "revisions" / "1.json").write_text("{")
    exit_code, found = call(capsys, "results", "rebuild", "--into", str(tmp_path / "again"))
    assert (exit_code, found["code"], bool(installation)) == (3, "REBUILD_DIFFERS", True)
    assert found["result"][0]["differences"][0].startswith(f"{CATALOG}: 1.json:")


def test_a_journal_that_cannot_be_read_stops_no_rebuild(
    installation: RunId, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run of it is named, what has rows is rebuilt."""
    other = "run-" + "0" * 32
    with sqlite3.connect(tmp_path / "home" / "control.sqlite") as connection:
        connection.execute("INSERT INTO status SELECT subject_type, ?, seq, data FROM status WHERE subject_type = 'run'", [other])
    assert main(["results", "rebuild", "--into", str(tmp_path / "again")]) == 3
    shown = capsys.readouterr().out
    assert (f"{other} cannot be read" in shown, f"{installation} pub-" in shown) == (True, True)


def test_publishing_again_adds_nothing(installation: RunId, capsys: pytest.CaptureFixture[str]) -> None:
    """And says so."""
    exit_code, found = call(capsys, "results", "publish", installation)
    assert (exit_code, "unchanged" in found["message"]) == (0, True)


def test_a_rebuild_is_equal_to_what_is_published(installation: RunId, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It goes into an empty folder only."""
    exit_code, found = call(capsys, "results", "rebuild", "--into", str(tmp_path / "again"))
    assert (exit_code, [each["equal"] for each in found["result"]]) == (0, [True])
    assert call(capsys, "results", "rebuild", "--into", str(tmp_path / "again"))[1]["code"] == "FOLDER_NOT_EMPTY"
    assert installation


@pytest.mark.parametrize("name", [paths.CURRENT, "revisions/1.json"])
@pytest.mark.parametrize("dataset", [CATALOG, DATASET])
def test_damaged_results_exit_3(
    installation: RunId, dataset: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The audit lists what does not hold, the verification of a row stops at it."""
    path = tmp_path / "results" / dataset / name
    path.chmod(0o644)
    path.write_bytes(path.read_bytes().replace(b'"number":1', b'"number":2'))
    exit_code, audited = call(capsys, "results", "audit")
    assert (exit_code, audited["code"], audited["result"]["findings"] != []) == (3, "AUDIT_FINDINGS", True)
    exit_code, verified = call(
        capsys, "results", "verify-row", DATASET, "runs", installation, "--results", str(tmp_path / "results")
    )
    assert (exit_code, verified["code"]) == (3, "VERIFY_BROKEN")


def test_harbors_results_are_classified_as_expected(capsys: pytest.CaptureFixture[str]) -> None:
    """Files of real trials: exactly what expected.json says of each."""
    expected = json.loads((CASES / "expected.json").read_text(encoding="utf-8"))
    for name, meaning in expected.items():
        exit_code, found = call(capsys, "harness", "classify", str(CASES / f"{name}.json"))
        (line,) = found["result"]
        wanted = {key: value for key, value in meaning.items() if key != "why"}
        assert (exit_code, {key: line[key] for key in wanted}) == (0, wanted), name


def test_schemas_are_exported_as_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One a document, and each is JSON."""
    exit_code, found = call(capsys, "schema", "export", "--into", str(tmp_path / "schemas"))
    files = sorted(path.name.removesuffix(".schema.json") for path in (tmp_path / "schemas").iterdir())
    assert (exit_code, files) == (0, found["result"])


def test_a_home_that_is_no_folder_names_its_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is a file here."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("SEAWALL_HOME", str(tmp_path / "file"))
    exit_code, found = call(capsys, "run", "list")
    assert (exit_code, found["code"], found["result"]["field"]) == (2, "SETTING_INVALID", "SEAWALL_HOME")


def test_an_empty_installation_is_audited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is nothing to find."""
    monkeypatch.setenv("SEAWALL_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SEAWALL_RESULTS", raising=False)
    exit_code, found = call(capsys, "results", "audit")
    assert (exit_code, found["result"]["publications"]) == (0, 0)


@pytest.mark.parametrize("verb", ["cancel", "retry"])
def test_nothing_is_asked_of_a_run_that_nobody_knows(installation: RunId, verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    """However well-formed its id is."""
    exit_code, found = call(capsys, "run", verb, "run-" + "0" * 32)
    assert (exit_code, found["code"], bool(installation)) == (3, "NOT_FOUND", True)
    _, passed = call(capsys, "run", "reconcile", "--all")
    assert passed["result"]["events"] == 0


def test_a_refused_request_is_seen(installation: RunId, capsys: pytest.CaptureFixture[str]) -> None:
    """By whoever reconciles, lists, or looks at the run."""
    call(capsys, "run", "cancel", installation)
    assert main(["run", "reconcile", "--all"]) == 0
    assert "was refused: RUN_TERMINAL" in capsys.readouterr().out
    main(["run", "list"])
    assert "refused RUN_TERMINAL" in capsys.readouterr().out
    main(["run", "status", installation])
    assert "was refused: RUN_TERMINAL" in capsys.readouterr().out


def test_a_dry_pass_writes_nothing(installation: RunId, capsys: pytest.CaptureFixture[str]) -> None:
    """What it says is what the next one does."""
    call(capsys, "run", "cancel", installation)
    exit_code, found = call(capsys, "run", "reconcile", "--all", "--dry-run")
    assert (exit_code, found["result"]["events"]) == (0, {installation: ["request_taken", "request_refused"]})
    assert call(capsys, "run", "status", installation)[1]["result"]["refusals"] == []
    assert call(capsys, "run", "reconcile", "--all")[1]["result"]["events"] == 2


def test_a_watch_over_one_run_does_not_wait_for_another(installation: RunId, capsys: pytest.CaptureFixture[str]) -> None:
    """Whose request stays in the inbox."""
    from runner.bootstrap import build
    from runner.usecases.runs.submit_run import put_request
    from shared.ids import RequestId
    from shared.inbox.codec import Request, RequestSubject

    house = build()
    other = RequestSubject("run", "run-" + "0" * 32)
    put_request(house.inbox, Request(RequestId("req-" + "0" * 32), "cancel", house.actor(), other, ""))
    assert call(capsys, "run", "reconcile", installation, "--watch")[0] == 0
    assert house.inbox.list(1).waiting == 1


def test_a_finished_run_has_nothing_to_retry(installation: RunId, capsys: pytest.CaptureFixture[str]) -> None:
    """Every trial has its result; a trial that is named is asked for, and a pass decides."""
    assert call(capsys, "run", "retry", installation)[1]["code"] == "NOTHING_TO_RETRY"
    exit_code, found = call(capsys, "run", "retry", installation, "--trial", "1", "--dry-run")
    assert (exit_code, found["result"]) == (0, {"trials": [1]})


def test_a_dry_publication_and_a_dry_rebuild_write_nothing(
    installation: RunId, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They say what would be written, under the id that it would have."""
    shutil.move(tmp_path / "results", tmp_path / "kept")
    exit_code, found = call(capsys, "results", "publish", installation, "--dry-run")
    assert (exit_code, (tmp_path / "results").exists()) == (0, False)
    exit_code, listed = call(capsys, "results", "rebuild", "--into", str(tmp_path / "again"), "--dry-run")
    assert (exit_code, [each["run_id"] for each in listed["result"]]) == (0, [installation])
    assert not (tmp_path / "again").exists()
    assert call(capsys, "results", "publish", installation)[1]["ids"] == found["ids"]


@pytest.mark.parametrize("point", ["publish.before_rows", "results.before_file", "results.before_revision"])
def test_a_full_disk_is_told_by_its_name(
    installation: RunId, point: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wherever it strikes; with room, the same command does the whole."""
    shutil.rmtree(tmp_path / "results")

    def strike(reached: str) -> None:
        if reached == point:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    yields.install(strike)
    try:
        exit_code, found = call(capsys, "results", "publish", installation)
    finally:
        yields.install(lambda _reached: None)
    assert (exit_code, found["code"]) == (7, "STORE_FULL")
    assert call(capsys, "results", "publish", installation)[0] == 0
    assert call(capsys, "results", "audit")[1]["result"]["findings"] == []
