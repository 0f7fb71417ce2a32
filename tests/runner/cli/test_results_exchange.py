"""Results that leave and results that come in, as a person and a program meet them."""

import shutil
from pathlib import Path

import pytest

from runner.cli.main import main
from runner.config import CHECKOUT
from shared.ids import RunId
from tests.builders.forger import DATASET
from tests.builders.imports import JOB, copy_jobs, trials_of
from tests.runner.cli.test_main import call


def test_tables_are_exported_as_files_or_printed(installation: RunId, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One a table, below the dataset and its revision; a single one goes to standard output as it is."""
    exit_code, found = call(capsys, "results", "export", "--format", "csv", "--into", str(tmp_path / "out"))
    assert (exit_code, len(found["result"]["files"])) == (0, 6)
    file = tmp_path / "out" / "local--starter@1" / "runs.csv"
    assert installation in file.read_text()
    assert main(["results", "export", f"{DATASET}@1", "--format", "csv", "--table", "runs"]) == 0
    assert capsys.readouterr().out.splitlines() == file.read_text().splitlines()
    assert call(capsys, "results", "export", "--format", "parquet")[1]["code"] == "ARGUMENT_MISSING"


def test_a_benchmark_of_this_machine_has_no_leaderboard_on_the_hub(
    installation: RunId, capsys: pytest.CaptureFixture[str]
) -> None:
    """The refusal says what would have one."""
    arguments = ("--format", "eval-results", "--space", "https://somebody-seawall.hf.space")
    exit_code, found = call(capsys, "results", "export", *arguments)
    assert (exit_code, found["code"], bool(installation)) == (3, "EXPORT_NO_DATASET", True)


IMPORT = ("results", "import", str(CHECKOUT / "tests" / "data" / "harbor-jobs"), "--benchmark", "elsewhere", "--reason", "a test")


def test_jobs_made_elsewhere_are_imported_once(installation: RunId, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tried dry first, which writes nothing; the second time nothing is added; all that is published holds."""
    before = sorted(tmp_path.rglob("*"))
    exit_code, dry = call(capsys, *IMPORT, "--dry-run")
    assert (exit_code, dry["result"]["found"], sorted(tmp_path.rglob("*"))) == (0, 8, before)
    exit_code, made = call(capsys, *IMPORT)
    assert (exit_code, made["result"]["is_new"], made["ids"]["run_id"]) == (0, True, dry["ids"]["run_id"])
    assert call(capsys, *IMPORT)[1]["result"]["is_new"] is False
    assert call(capsys, "results", "audit")[1]["result"]["findings"] == []
    exit_code, rebuilt = call(capsys, "results", "rebuild", "--into", str(tmp_path / "again"))
    assert (exit_code, {each["run_id"]: each["equal"] for each in rebuilt["result"]}) == (
        0,
        {installation: True, made["ids"]["run_id"]: True},
    )


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--benchmark", "Not A Name"),
        ("--dataset", "noslash"),
        ("--catalog", "local/elsewhere"),
        ("--reason", ""),
        ("--reason", "two\nlines"),
        ("--pass-threshold", "nan"),
        ("--series", "x y"),
    ],
)
def test_an_import_with_a_bad_argument_is_refused(
    installation: RunId, option: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The option is named and nothing is read."""
    exit_code, found = call(capsys, *IMPORT, option, value)
    assert (exit_code, found["result"]["field"], bool(installation)) == (2, option, True)


def test_a_range_of_rewards_must_be_one(installation: RunId, capsys: pytest.CaptureFixture[str]) -> None:
    """Its low end is below its high end."""
    exit_code, found = call(capsys, *IMPORT, "--reward-range", "1", "0")
    assert (exit_code, found["result"]["field"], bool(installation)) == (2, "--reward-range", True)


def test_a_job_that_has_grown_is_told_from_what_was_imported_of_it(
    installation: RunId, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both imports stand, and the second names the first."""
    jobs = copy_jobs(tmp_path / "grown")
    kept = shutil.move(trials_of(jobs)[0], tmp_path / "kept")
    first = call(capsys, *IMPORT[:2], str(jobs), *IMPORT[3:])[1]
    shutil.move(kept, jobs / JOB / "later")
    second = call(capsys, *IMPORT[:2], str(jobs), *IMPORT[3:])[1]
    (oddity,) = second["result"]["oddities"]
    assert (oddity["code"], first["ids"]["run_id"] in oddity["message"]) == ("imported_before", True)
    assert installation != second["ids"]["run_id"] != first["ids"]["run_id"]
