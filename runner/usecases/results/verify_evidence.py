"""Verifying published trials against the evidence itself: every bundle re-hashed, every end re-read from Harbor's own results.

Not only the attempt that was selected: a failed try's row must follow from its bundle too, and a try that is published as having
left none must not have one, or a success could be told as a failure. Called by `results verify-row` with the evidence at hand.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from runner.evidence.markers import markers_at
from runner.evidence.verification import verify_bundle
from runner.ports.stores.evidence_store import EvidenceStore
from runner.usecases.attempts.attempt_reading import Scoring
from runner.usecases.attempts.sealed_attempts import StoredAttempt, read_sealed_attempt
from runner.usecases.results.gather_run import published_artifact
from runner.usecases.results.published_tables import PublishedTables, broken
from shared import paths
from shared.ids import AttemptId, CellId, RunId, TrialId
from shared.outcomes import AttemptEnd, Outcome

type Row = dict[str, Any]


def verify_bundles(published: PublishedTables, concerned: Sequence[int], evidence: EvidenceStore) -> int:
    """Re-read every attempt of the `concerned` trials; return how many bundles; raise Refused naming the first that differs."""
    cells = {row["cell_id"]: row for row in _rows(published, "cells")}
    attempts, artifacts = _grouped(published, "attempts", "trial_id"), _grouped(published, "artifacts", "owner_id")
    trials = list(_rows(published, "trials"))
    read = 0
    for trial in (trials[index] for index in concerned):
        rewards = {}
        for attempt in attempts.get(trial["trial_id"], ()):
            stored = _verify_attempt(published, trial, attempt, cells[trial["cell_id"]], evidence)
            if stored is None:
                continue
            read += 1
            _compare_artifacts(stored, artifacts.get(attempt["attempt_id"], []))
            if stored.reading.classification.attempt is AttemptEnd.SUCCEEDED and stored.reading.result is not None:
                rewards[attempt["attempt_id"]] = stored.reading.result.reward
        _compare_outcome(trial, rewards)
    return read


def _verify_attempt(
    published: PublishedTables, trial: Row, attempt: Row, cell: Row, evidence: EvidenceStore
) -> StoredAttempt | None:
    names = CellId(trial["cell_id"]), TrialId(trial["trial_id"]), AttemptId(attempt["attempt_id"])
    prefix = paths.attempt_prefix(RunId(published.receipt.run_id), *names)
    if attempt["bundle_sha256"] is None:
        # Evidence that came after a try was given up is kept and changes nothing; any other must be named.
        if attempt["state"] != AttemptEnd.LOST and markers_at(evidence, prefix):
            raise broken(prefix, "a sealed bundle stands here and the row says that there is none")
        return None
    if verify_bundle(evidence, prefix).checksums_sha256 != attempt["bundle_sha256"]:
        raise broken(prefix, "the sealed bundle is not the one that the row names")
    stored = read_sealed_attempt(evidence, prefix, Scoring(cell["primary_reward"], cell["reward_low"], cell["reward_high"]))
    meaning = stored.reading.classification
    category = None if meaning.category is None else meaning.category.value
    if (attempt["state"], attempt["category"]) != (meaning.attempt.value, category) and attempt["state"] != AttemptEnd.LOST:
        raise broken(prefix, f"Harbor's result means {meaning.attempt} {category}, the row says {attempt['state']}")
    return stored


def _compare_outcome(trial: Row, rewards: dict[str, float | None]) -> None:
    """Require a scored trial to have its selected attempt's reward, and an unscored one no success among its attempts."""
    if trial["outcome"] == Outcome.SCORED:
        reward = rewards.get(trial["selected_attempt_id"])
        if trial["reward"] != reward:
            raise broken(trial["trial_id"], f"Harbor's result gives reward {reward}, the row says {trial['reward']}")
    elif rewards:
        raise broken(trial["trial_id"], f"an attempt succeeded and the row says {trial['outcome']}")


def _compare_artifacts(stored: StoredAttempt, rows: list[Row]) -> None:
    expected = {tuple(published_artifact(file)) for file in stored.inventory.files}
    names = ("path", "kind", "sha256", "size_bytes", "stored", "media_type")
    if {tuple(row[name] for name in names) for row in rows} != expected:
        raise broken(stored.bundle.prefix, "the published artifacts are not those of the sealed inventory")


def _grouped(published: PublishedTables, table: str, column: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in _rows(published, table):
        found.setdefault(row[column], []).append(row)
    return found


def _rows(published: PublishedTables, table: str) -> Iterator[Row]:
    columns = published.rows[table]
    for values in zip(*columns.values(), strict=True):
        yield dict(zip(columns, values, strict=True))
