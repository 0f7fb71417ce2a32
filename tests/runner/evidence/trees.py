"""Builds an attempt's folder as Harbor and the trial host leave it, and a run of one cell around it."""

import json
from pathlib import Path

from runner.adapters.local.stores.evidence import LocalEvidenceStore
from runner.evidence.bundle import SealedBundle, SealOrder, seal_attempt
from runner.evidence.summaries import AttemptFacts, RunFacts, TrialFacts
from shared import ids, paths
from shared.digests import digest_of, sha256
from shared.documents.evidence.bundle import Marker, MarkerDocument
from shared.documents.manifest import Manifest, ManifestFile
from shared.outcomes import AttemptEnd, Category, Outcome

RUN = ids.RunId("run-" + "0" * 32)
CELL = ids.cell_id(RUN, "a cell")
SECRETS = {"HF_TOKEN": "hunter2/with+odd=chars", "API_KEY": "zyxwvutsrq-9876543210"}
ORDER = SealOrder(
    subject="att-1", marker=Marker.SUCCESS, fence=3, secrets=SECRETS, required=("attempt.json", "harbor/result.json")
)
PREFIX = "runs/r/cells/c/trials/t/attempts/a"


def make_attempt(root: Path, *, reward: float = 1.0, extra: dict[str, bytes] | None = None) -> Path:
    """Write an attempt's folder under `root` and return it."""
    files = {
        "attempt.json": b'{"attempt_id":"att-1"}',
        "events.jsonl": b'{"event":"started"}\n',
        "harbor.log": b"log of the trial\n",
        "harbor/result.json": json.dumps({"verifier_result": {"rewards": {"reward": reward}}}).encode(),
        "harbor/lock.json": b"{}",
        "harbor/config.json": b"{}",
        "harbor/agent/trajectory.json": b"[]",
        "harbor/agent/terminal.txt": b"$ make\nok\n",
        "harbor/verifier/reward.txt": str(reward).encode(),
        "harbor/artifacts/model.bin": bytes(range(256)) * 8,
        **(extra or {}),
    }
    for path, data in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return root


def everything(root: Path) -> dict[str, bytes]:
    """Return path -> bytes of every file under `root`."""
    return {file.relative_to(root).as_posix(): file.read_bytes() for file in sorted(root.rglob("*")) if file.is_file()}


def seal_trial_attempt(
    work: Path, store: LocalEvidenceStore, number: int, *, reward: float = 1.0
) -> tuple[TrialFacts, SealedBundle]:
    """Seal the only attempt of the `number`-th trial and return the trial's facts."""
    trial = ids.trial_id(RUN, f"trial {number}")
    attempt = ids.attempt_id(trial, 1)
    staging = make_attempt(work / attempt, reward=reward)
    order = SealOrder(subject=attempt, marker=Marker.SUCCESS, fence=3, secrets=SECRETS)
    sealed = seal_attempt(staging, paths.attempt_prefix(RUN, CELL, trial, attempt), order, store)
    facts = AttemptFacts(attempt, 1, AttemptEnd.SUCCEEDED, checksums_sha256=sealed.checksums_sha256)
    return _trial(trial, Outcome.SCORED, (facts,), reward=reward), sealed


def forge(store: LocalEvidenceStore, prefix: str, changed: dict[str, bytes]) -> None:
    """Replace files of a sealed bundle and make its checksums and marker agree, as somebody with write access could."""
    folder = store.root / prefix
    for path, data in changed.items():
        (folder / path).write_bytes(data)
    old = Manifest.from_bytes((folder / paths.CHECKSUMS).read_bytes())
    stored = {file.path: (folder / file.path).read_bytes() for file in old.files}
    files = tuple(ManifestFile(path=path, sha256=sha256(data), size=len(data)) for path, data in stored.items())
    new = old.model_copy(update={"files": files})
    marker = MarkerDocument.from_bytes((folder / str(old.meta["marker"])).read_bytes())
    (folder / paths.CHECKSUMS).write_bytes(new.to_bytes())
    forged = marker.model_copy(update={"checksums_sha256": new.digest})
    (folder / str(old.meta["marker"])).write_bytes(forged.to_bytes())


def lost_trial(number: int) -> TrialFacts:
    """Return the facts of a trial whose attempt left nothing."""
    trial = ids.trial_id(RUN, f"trial {number}")
    lost = AttemptFacts(ids.attempt_id(trial, 1), 1, AttemptEnd.LOST, Category.LOST)
    return _trial(trial, Outcome.INFRASTRUCTURE_EXHAUSTED, (lost,))


def untouched_trial(number: int) -> TrialFacts:
    """Return the facts of a trial that its run ended without."""
    return _trial(ids.trial_id(RUN, f"trial {number}"), None, ())


def run_of(trials: int) -> RunFacts:
    """Return the facts of a run with one cell of `trials` trials."""
    return RunFacts(RUN, digest_of("plan"), b'{"plan":"p"}', {CELL: trials})


def _trial(
    trial: ids.TrialId, outcome: Outcome | None, attempts: tuple[AttemptFacts, ...], reward: float | None = None
) -> TrialFacts:
    selected = attempts[0].attempt_id if reward is not None else None
    return TrialFacts(CELL, trial, f"task-{trial[-4:]}", digest_of("task"), 1, outcome, reward, selected, attempts)
