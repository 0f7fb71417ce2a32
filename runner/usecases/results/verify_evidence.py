"""Verifying published trials against the evidence itself: bundles re-hashed, reward and outcome re-read from Harbor's results."""

from collections.abc import Sequence

from runner.evidence.verification import verify_bundle
from runner.ports.stores.evidence_store import EvidenceStore
from runner.usecases.attempts.attempt_reading import Scoring
from runner.usecases.attempts.sealed_attempts import read_sealed_attempt
from runner.usecases.results.published_tables import PublishedTables, broken
from shared import paths
from shared.ids import AttemptId, CellId, RunId, TrialId
from shared.outcomes import AttemptEnd, Outcome


def verify_bundles(published: PublishedTables, concerned: Sequence[int], evidence: EvidenceStore) -> int:
    """Re-read every selected attempt of the `concerned` trials; return how many; raise Refused naming the first that differs."""
    trials, cells = published.rows["trials"], published.rows["cells"]
    attempts = published.rows["attempts"]
    bundles = dict(zip(attempts["attempt_id"], attempts["bundle_sha256"], strict=True))
    rows = {cell: {name: values[index] for name, values in cells.items()} for index, cell in enumerate(cells["cell_id"])}
    read = 0
    for index in concerned:
        selected = trials["selected_attempt_id"][index]
        if selected is None:
            continue
        cell, trial = CellId(trials["cell_id"][index]), TrialId(trials["trial_id"][index])
        prefix = paths.attempt_prefix(RunId(published.receipt.run_id), cell, trial, AttemptId(selected))
        bundle = verify_bundle(evidence, prefix)
        if bundle.checksums_sha256 != bundles[selected]:
            raise broken(prefix, "the sealed bundle is not the one that the row names")
        row = rows[cell]
        stored = read_sealed_attempt(evidence, prefix, Scoring(str(row["primary_reward"]), row["reward_low"], row["reward_high"]))
        is_scored = stored.reading.classification.attempt is AttemptEnd.SUCCEEDED
        reward = stored.reading.result.reward if is_scored and stored.reading.result is not None else None
        if (trials["outcome"][index] == Outcome.SCORED) != is_scored or trials["reward"][index] != reward:
            raise broken(prefix, f"Harbor's result gives reward {reward}, the row says {trials['reward'][index]}")
        read += 1
    return read
