"""`/trainings` and `/releases`: honest while nothing is published; a training without a receipt of its build says so."""

from typing import Any

import pytest

from shared.errors import Refused
from space.listings.listing import discover
from space.pages.training import releases, trainings
from space.queries.view import View
from space.readers.mirror import Mirror
from tests.space.pages.test_numbers import plain

HALF_HOUR = 1_800.0


def row_of(name: str, **values: Any) -> dict[str, Any]:
    """Return a row of a list with `values`, everything else missing."""
    return {**dict.fromkeys(field.name for field in discover()[name].fields), **values}


def test_empty_lists_say_what_is_not_there(mirror: Mirror) -> None:
    """Each of the five tables has its own sentence, and none is called passed or promoted."""
    text = plain(trainings.show(View("trainings", {}), mirror))
    assert [f"No {name} published" in text for name in ("trainings", "qualifications", "evaluations")] == [True] * 3
    text = plain(releases.show(View("releases", {}), mirror))
    assert [f"No {name} published" in text for name in ("releases", "snapshots")] == [True] * 2


@pytest.mark.parametrize(("page", "key"), [(trainings, "training_id"), (releases, "release_id")])
def test_an_unknown_id_is_refused(mirror: Mirror, page: Any, key: str) -> None:
    """Nothing published has it."""
    with pytest.raises(Refused) as caught:
        page.show(View(key.removesuffix("_id") + "s", {key: "some-id"}), mirror)
    assert (caught.value.code, caught.value.field) == ("view.not_published", key)


def training(**values: Any) -> dict[str, Any]:
    """Return a failed training without a receipt."""
    facts = {"training_id": "training-1", "recipe_name": "tide-sft", "method": "sft", "base": "example/kelp", "state": "failed"}
    return row_of("trainings", **facts, receipt_state="no_receipt", steps_planned=100, steps_done=40, wall_s=HALF_HOUR, **values)


def test_a_training_without_a_receipt_says_so() -> None:
    """In the list and on its own page; a failed one is listed too and stays failed."""
    text = plain(trainings.trainings_table([training()]))
    assert "no receipt for this build" in text
    assert "failed" in text
    assert "40 of 100" in text
    assert "no receipt for this build" in plain(trainings.one_training(training()))


def test_a_receipt_that_failed_names_its_checks() -> None:
    """The state and the checks as published."""
    row = {**training(), "receipt_state": "failed", "failed_checks": ["Q3", "Q7"]}
    assert "failed Q3, Q7" in plain(trainings.receipt(row))


def test_qualifications_and_evaluations_are_shown_as_published() -> None:
    """Checks that failed, values, verdicts with reasons."""
    row = row_of(
        "qualifications", qualification_id="q-1", trainer_part="part-a", state="passed", optimizer_steps=4, failed_checks=[]
    )
    assert "q-1 passed part-a none not applicable 4" in plain(trainings.qualifications_table([row])).replace(
        "\N{CHECK MARK} ", ""
    )
    facts = {"evaluation_id": "e-1", "role": "candidate", "metric": "loss", "value": 4.93, "samples": 20, "verdict": "refuse"}
    row = row_of("evaluations", **facts, reasons=["CMP_REGRESSION"])
    assert "e-1 candidate loss 4.93 20 refuse CMP_REGRESSION" in plain(trainings.evaluations_table([row]))


def test_the_verification_of_a_release_is_printed_as_it_is() -> None:
    """The Space is no second evaluator; unknown provenance says so; a restored release too."""
    facts = {"release_id": "rel-1", "channel": "main", "state": "recovered_failure", "verification": "observed", "restored": True}
    text = plain(releases.releases_table([row_of("releases", **facts, generation_before=3, generation_after=5)]))
    assert "3 to 5" in text
    assert "restored" in text
    assert "provenance unknown observed" in text


def test_a_staged_snapshot_is_not_published() -> None:
    """It has no pointer commit, and its state is its own word."""
    row = row_of(
        "snapshots", snapshot_id="s-1", line="final", repo="example/kelp", state="staged", payload_commit="c0ffee", files=3
    )
    text = plain(releases.snapshots_table([row]))
    assert "staged c0ffee not published 3" in text
