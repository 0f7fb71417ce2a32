"""The Hub's own format, read back by the Hub client's own type: what is exported and what is not, the same for everyone."""

from typing import Any

import pytest
import yaml
from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml, parse_eval_result_entries

from shared.errors import Refused
from shared.exports.eval_results import eval_results_file
from shared.tables import cells, runs
from tests.builders.published import LOST, PublishedRun, some_cell, some_run, some_trial

SPACE = "https://somebody-seawall.hf.space"
COMMIT = "a" * 40


def rows(run: PublishedRun) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the row of the one cell of `run`, and its own."""
    cell, own = cells.rows(run, "pub-1"), runs.rows(run, "pub-1")
    return {name: values[0] for name, values in cell.items()}, {name: values[0] for name, values in own.items()}


def hub_run(lost: int = 0, trials: int = 100, **changes: Any) -> PublishedRun:
    """Return a run of a benchmark of the Hub with one cell, `lost` of whose trials infrastructure has lost."""
    made = [some_trial(number, None, LOST) if number < lost else some_trial(number, number % 3 / 2) for number in range(trials)]
    source = {"source_type": "hub", "source_repo": "org/bench", "source_revision": COMMIT, "eval_task_id": "main"}
    return some_run([some_cell(made)], **{**source, **changes})


def exported(run: PublishedRun) -> EvalResultEntry:
    """Return the one entry of the exported file, as the Hub's client reads it."""
    cell, own = rows(run)
    (entry,) = parse_eval_result_entries(yaml.safe_load(eval_results_file(cell, own, SPACE).data))
    return entry


def refusal(run: PublishedRun, space: str = SPACE, **changes: Any) -> str:
    cell, own = rows(run)
    with pytest.raises(Refused) as caught:
        eval_results_file({**cell, **changes}, own, space)
    assert caught.value.way_out
    return caught.value.code


def test_a_ranked_cell_reads_back_as_the_hubs_own_type() -> None:
    """Every field that the format has and that we know."""
    run = hub_run()
    cell, _ = rows(run)
    entry = exported(run)
    assert (entry.dataset_id, entry.task_id, entry.dataset_revision) == ("org/bench", "main", COMMIT)
    assert (entry.value, entry.date) == (cell["score"], "2023-11-14T22:13:21Z")
    assert (entry.source_url, entry.source_name) == (f"{SPACE}/cell?cell_id=cell-1", "Seawall")
    assert entry.notes is not None
    assert entry.notes.startswith("agent ShellAgent 1.0.0; 1 x 100 tasks; 95% interval 0.")
    assert entry.notes.endswith("; sandbox local")


def test_the_file_says_what_the_hubs_client_would_write() -> None:
    """The same keys and values, none more."""
    cell, own = rows(hub_run())
    data = yaml.safe_load(eval_results_file(cell, own, SPACE).data)
    assert data == eval_result_entries_to_yaml([exported(hub_run())])


def test_the_file_is_named_for_benchmark_agent_and_cell() -> None:
    """Two cells of one model never share a file."""
    cell, own = rows(hub_run())
    found = eval_results_file(cell, own, f"{SPACE}/")
    assert (found.model_repo, found.path) == ("example/small", ".eval_results/starter-shell-eeeeeeee.yaml")
    assert found.data == eval_results_file(cell, own, SPACE).data


@pytest.mark.parametrize("value", [0.1, 1.0, 0.0, 1e-7, 123456789.125, 1e22, 2 / 3])
def test_a_score_reads_back_to_the_same_float(value: float) -> None:
    """Small and large ones too, which some readers take for text."""
    cell, own = rows(hub_run())
    found = yaml.safe_load(eval_results_file({**cell, "score": value}, own, SPACE).data)[0]["value"]
    assert (found, type(found)) == (value, float)


@pytest.mark.parametrize("name", ['a "quoted" \\ name', "é ☃ \U0001f600", "line\nbreak\x85\u2028", ": - #"])
def test_any_text_reads_back_as_it_was(name: str) -> None:
    """Quotes, breaks and characters beyond ASCII, in bytes that are ASCII."""
    cell, own = rows(hub_run())
    data = eval_results_file({**cell, "agent_name": name}, own, SPACE).data
    assert data.isascii()
    assert yaml.safe_load(data)[0]["notes"].startswith(f"agent {name} 1.0.0;")


def test_five_percent_lost_is_exported_and_six_is_not() -> None:
    """The line between ranked and listed is the leaderboard's own."""
    assert exported(hub_run(lost=5)).value > 0
    assert refusal(hub_run(lost=6)) == "EXPORT_NOT_RANKED"


@pytest.mark.parametrize(
    "changes",
    [{"source_type": "directory"}, {"source_type": "git"}, {"source_revision": None}, {"eval_task_id": None}],
)
def test_a_benchmark_that_is_no_dataset_with_a_task_is_refused(changes: dict[str, Any]) -> None:
    """The leaderboard belongs to a Dataset of the Hub."""
    assert refusal(hub_run(**changes)) == "EXPORT_NO_DATASET"


def test_where_the_tasks_came_from_is_said_in_words() -> None:
    """No name of a kind of source, which its reader never wrote."""
    with pytest.raises(Refused, match="task folders of the machine that ran it"):
        exported(hub_run(source_type="task_package"))


@pytest.mark.parametrize("changes", [{"model_repo": "none"}, {"model_revision": "not_observed"}, {"model_revision": "main"}])
def test_a_model_without_a_repository_at_a_commit_is_refused(changes: dict[str, str]) -> None:
    """A provider's model has no place for the file."""
    assert refusal(hub_run(), **changes) == "EXPORT_NOT_OPEN"


@pytest.mark.parametrize("space", ["", "somebody-seawall.hf.space", "https://x.example/a?b=c", "https://x.example/a b"])
def test_an_address_that_is_none_is_refused(space: str) -> None:
    """Each entry links to the page of its cell."""
    assert refusal(hub_run(), space) == "EXPORT_NO_ADDRESS"
