"""The process that tests/kill/test_evidence.py kills: seals two attempts and a wave, derives the run and seals its root.

`python -m tests.kill.support.evidence_worker WORK NAME:N` ends itself with SIGKILL at the N-th passage of the yield point NAME;
with the name `none` it goes to its end and prints how often it passed each name.
"""

import json
import os
import signal
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

from runner.adapters.local.stores.evidence import LocalEvidenceStore
from runner.domain import yields
from runner.evidence.bundle import SealOrder, seal_bundle
from runner.evidence.summaries import derive_run, seal_run_root
from shared import ids, paths
from shared.documents.evidence.bundle import Marker
from tests.runner.evidence.trees import RUN, lost_trial, run_of, seal_trial_attempt


def seal_everything(work: Path) -> None:
    """Do all that is sealed in the life of a small run."""
    store = LocalEvidenceStore(work / "store")
    trials = [seal_trial_attempt(work / "staging", store, number)[0] for number in (1, 2)]
    wave = ids.wave_id(RUN, 1)
    order = SealOrder(subject=wave, marker=Marker.SUCCESS, fence=1)
    sealed = seal_bundle(paths.wave_prefix(RUN, wave), {"events.jsonl": b"{}\n", "wave-summary.json": b"{}"}, order, store)
    run = replace(run_of(3), waves={wave: sealed.checksums_sha256})
    seal_run_root(run, derive_run(run, [*trials, lost_trial(3)], store), store)


def main(work: Path, fault: str) -> None:
    """Install the hook and go."""
    name, _, number = fault.partition(":")
    passed: Counter[str] = Counter()

    def hook(reached: str) -> None:
        passed[reached] += 1
        if reached == name and passed[reached] == int(number):
            os.kill(os.getpid(), signal.SIGKILL)

    yields.install(hook)
    seal_everything(work)
    sys.stdout.write(json.dumps(passed))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
