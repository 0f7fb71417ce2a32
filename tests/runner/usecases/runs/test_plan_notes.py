"""Tests of what is told beside a plan: what a local sandbox leaves out or opens, and what is no task; no digest knows of it."""

import dataclasses
from pathlib import Path
from typing import Any

from runner.usecases.runs.plan_notes import NAMED
from runner.usecases.runs.plan_run import PlannedRun, World, plan_run
from shared.documents.reviewed.prices import no_prices
from tests.builders.experiments import changed, encode
from tests.builders.houses import Place, starter_tree, write_source
from tests.doubles.harness import NEEDS, ScriptedCheck


def planned(folder: Path, tasks: tuple[str, ...] = ("one", "two"), dataset: str = "local/starter", **needs: Any) -> PlannedRun:
    """Return the plan of the starter manifest over tasks that all need the same."""
    tree = changed(starter_tree(), "publishing.dataset", dataset)
    check = ScriptedCheck(needs=dataclasses.replace(NEEDS, **needs))
    beside = write_source(folder / "source", tasks)
    return plan_run(encode(tree), beside, World(Place(folder / "place").house.sources, check, no_prices(), {}))


def test_a_plan_that_leaves_nothing_out_has_no_note(tmp_path: Path) -> None:
    """Silence means that there is nothing to know."""
    assert planned(tmp_path).notes == ()


def test_images_that_are_not_used_are_named(tmp_path: Path) -> None:
    """What the Dockerfile builds on, or what the task names; with how many tasks would run in it."""
    (note,) = planned(tmp_path / "one", base_image="python:3.12").notes
    assert "not the images python:3.12 (2 tasks)" in note
    (note,) = planned(tmp_path / "two", ("one",), docker_image="busybox").notes
    assert "busybox (1 task)" in note


def test_a_public_network_reaches_this_machine(tmp_path: Path) -> None:
    """The tasks that ask for it are named, those that ask for none are not."""
    (note,) = planned(tmp_path / "one", network="public").notes
    assert "loopback" in note
    assert note.endswith("org/one, org/two")
    assert planned(tmp_path / "two", network="no-network").notes == ()


def test_folders_that_are_no_tasks_are_named(tmp_path: Path) -> None:
    """Many of them are counted from the sixth on."""
    for number in range(NAMED + 2):
        (tmp_path / "source" / "starter" / f"draft-{number}").mkdir(parents=True)
        (tmp_path / "source" / "starter" / f"draft-{number}" / "note.md").write_text("later")
    (note,) = planned(tmp_path).notes
    assert "draft-0, draft-1, draft-2, draft-3, draft-4 and 2 more" in note


def test_a_dataset_that_is_named_like_one_of_the_hub_is_said_to_be_a_folder(tmp_path: Path) -> None:
    """By its name; one that says that it is of this machine needs no note."""
    (note,) = planned(tmp_path, dataset="me/starter").notes
    assert note == "nothing is written to the Hub: me/starter is a folder among this machine's results"


def test_no_digest_knows_of_a_note(tmp_path: Path) -> None:
    """The same plan with notes and without."""
    quiet, told = planned(tmp_path / "one"), planned(tmp_path / "two", base_image="python:3.12", network="public")
    assert len(told.notes) == 2
    assert quiet.plan == told.plan
