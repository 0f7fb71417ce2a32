"""Following published rows to what they hang on: the chain of revisions, the run lock, the evidence root and its statements.

Everything is read from the published files alone and recomputed; the first link that does not hold is named. Called by
verify_row for one row and by audit_tables for all of them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from runner.ports.stores.result_store import ResultStore
from runner.usecases.results.published_tables import PublishedTables, broken
from shared import paths
from shared.digests import sha256
from shared.documents.evidence.evidence_statement import EvidenceStatement
from shared.documents.manifest import Manifest
from shared.documents.revision import Revision
from shared.documents.run_lock import RunLock
from shared.errors import BadInput, Refused
from shared.ids import RunId

type Statements = Mapping[str, EvidenceStatement]
"""By trial id."""


def follow_revisions(store: ResultStore, dataset: str, number: int | None = None) -> Revision:
    """Return revision `number` (default: the newest) after checking that every revision names the one before it."""
    try:
        head = store.head(dataset)
    except (BadInput, Refused) as error:
        raise broken(f"{dataset}/{paths.CURRENT}", error.message) from None
    if head is None:
        raise Refused(
            "REVISION_MISSING",
            f"{dataset} has no revision",
            field=dataset,
            way_out="`results list` shows the datasets and their newest revisions.",
        )
    wanted = head.number if number is None else number
    if wanted > head.number:
        way_out = f"Its newest is {head.number}; `results list` shows them."
        raise Refused("REVISION_MISSING", f"{dataset} has no revision {wanted}", field=dataset, way_out=way_out)
    previous: Revision | None = None
    for each in range(1, wanted + 1):
        link = f"{dataset}/{paths.revision_file(each)}"
        try:
            revision = store.revision(dataset, each)
        except BadInput:
            raise broken(link, "the revision cannot be read") from None
        if revision.number != each or revision.previous_sha256 != (previous.digest if previous else None):
            raise broken(link, "the revision does not follow the one before it")
        if previous is not None and not set(previous.files) <= set(revision.files):
            raise broken(link, "the revision dropped or changed a published file")
        previous = revision
    if previous is None:
        raise Refused(
            "REVISION_MISSING",
            f"{dataset} has no revision {number}",
            field=dataset,
            way_out="`results list` shows the datasets and their newest revisions.",
        )
    return previous


class Proofs:
    """What a catalog says of one publication, each piece checked when it is read."""

    def __init__(self, store: ResultStore, catalog: str, revision: Revision, published: PublishedTables) -> None:
        self._store = store
        self._catalog = catalog
        self._revision = revision
        self._published = published
        self._receipt = published.receipt
        self._run_id = RunId(published.receipt.run_id)

    def verify_lock(self) -> None:
        """Require that the published run lock is the one that the receipt names, and of this run, plan and manifest."""
        path = paths.lock_file(self._run_id)
        data = self._read(path)
        if sha256(data) != self._receipt.run_lock_sha256:
            raise broken(path, "the published run lock is not the one that the receipt names")
        lock = RunLock.from_bytes(data)
        runs = self._published.rows["runs"]
        names = ("run_id", "plan_digest", "manifest_sha256", "prices_sha256", "requested_by")
        if [runs[name][0] for name in names] != [getattr(lock, name) for name in names]:
            raise broken(path, "the run lock is of another run, plan or manifest")

    def read_statements(self) -> Statements:
        """Return the evidence statements that hang on the evidence root that the receipt names."""
        root_path = paths.published_checksums(self._run_id)
        root = self._read(root_path)
        if sha256(root) != self._receipt.evidence_sha256:
            raise broken(root_path, "the published evidence root is not the one that the receipt names")
        listed = {file.path: file for file in Manifest.from_bytes(root).files}
        if paths.RUN_LOCK not in listed or listed[paths.RUN_LOCK].sha256 != self._receipt.run_lock_sha256:
            raise broken(root_path, "the evidence root lists another run lock")
        found: dict[str, EvidenceStatement] = {}
        files = [file for path, file in sorted(listed.items()) if path.startswith("evidence-statements-")]
        for number, file in enumerate(files, start=1):
            path = paths.published_statements(self._run_id, number)
            data = self._read(path)
            if (sha256(data), len(data)) != (file.sha256, file.size):
                raise broken(path, "the statements are not those that the evidence root lists")
            statements = (EvidenceStatement.from_bytes(line) for line in data.splitlines())
            found.update((statement.trial_id, statement) for statement in statements)
        return found

    def _read(self, path: str) -> bytes:
        try:
            return self._store.read(self._catalog, self._revision, path)
        except Refused as error:
            raise broken(path, error.message) from None


def compare_trials(published: PublishedTables, concerned: Sequence[int], statements: Statements) -> None:
    """Require that each of the `concerned` trials says what its evidence statement says."""
    trials, attempts = published.rows["trials"], published.rows["attempts"]
    bundles = dict(zip(attempts["attempt_id"], attempts["bundle_sha256"], strict=True))
    for index in concerned:
        trial = str(trials["trial_id"][index])
        statement = statements.get(trial)
        if statement is None:
            raise broken(trial, "the trial has no evidence statement")
        said: tuple[Any, ...] = (statement.outcome, statement.reward, statement.attempt_id, statement.bundle_sha256)
        selected = trials["selected_attempt_id"][index]
        row = (trials["outcome"][index], trials["reward"][index], selected, bundles.get(selected) if selected else None)
        if said != row:
            raise broken(trial, "the trial's row and its evidence statement differ")
