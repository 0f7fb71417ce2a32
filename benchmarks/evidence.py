"""evidence: hash, secret scan and archive of 200 MB in 10,000 files with 4 secrets, against SHA-256 of the same files."""

import hashlib
import random
import shutil
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from benchmarks.measurement import Measurement, compare
from runner.evidence.inventory import SealLimits
from runner.evidence.redaction import Redactor
from runner.evidence.staging import prepare_attempt

FILES: Final = 10_000
FILE_BYTES: Final = 20_000
SECRETS: Final = {
    "HF_TOKEN": "hunter2/with+odd=chars",
    "OPENAI_API_KEY": "zyxwvutsrq-9876543210",
    "REGISTRY_PASSWORD": "correct horse battery staple",
    "SIGNING_KEY": "0123456789abcdef0123456789abcdef",
}


def measure() -> Measurement:
    """Measure what sealing does to an attempt's bytes before any of them is sent to a store."""
    with tempfile.TemporaryDirectory() as folder:
        staging, scratch = Path(folder, "staging"), Path(folder, "scratch")
        _write_tree(staging)
        files = sorted(path for path in staging.rglob("*") if path.is_file())
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
            peak = fresh.submit(_peak_mb, staging, scratch).result()
        return compare("evidence", lambda: _ours(staging, scratch), lambda: _baseline(files), rounds=5, peak_mb=peak)


def _ours(staging: Path, scratch: Path) -> None:
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    redactor = Redactor(SECRETS)
    prepared = prepare_attempt(staging, scratch, subject="benchmark", redactor=redactor, required=(), limits=SealLimits())
    if len(prepared.inventory.files) != FILES or prepared.inventory.left_out:
        raise ValueError("not every file was taken")
    if dict(prepared.inventory.redactions) != dict.fromkeys(SECRETS, FILES // 1000):
        raise ValueError("not every planted secret was found")


def _peak_mb(staging: Path, scratch: Path) -> float:
    """Return what the work adds to the largest resident size of a fresh process that has only imported it, in MiB."""
    before = _high_water_mb()
    _ours(staging, scratch)
    return _high_water_mb() - before


def _high_water_mb() -> float:
    """Return the process's own high-water mark; what `getrusage` says also counts the process that started it."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(fields["VmHWM"].split()[0]) / 1024


def _baseline(files: list[Path]) -> None:
    for file in files:
        hashlib.sha256(file.read_bytes()).hexdigest()


def _write_tree(staging: Path) -> None:
    """Write logs of words from a seeded vocabulary; each secret stands in every thousandth file."""
    chance = random.Random(1)
    words = [chance.randbytes(chance.randrange(2, 6)).hex() for _ in range(4000)]
    text = " ".join(chance.choices(words, k=400_000)).encode()
    planted = list(SECRETS.values())
    for number in range(FILES):
        folder = staging / f"harbor/agent/step-{number // 100:03d}"
        folder.mkdir(parents=True, exist_ok=True)
        start = chance.randrange(len(text) - FILE_BYTES)
        body = text[start : start + FILE_BYTES]
        if number % 1000 < len(planted):
            secret = planted[number % 1000].encode()
            body = body[: FILE_BYTES // 2] + b" " + secret + b" " + body[FILE_BYTES // 2 + len(secret) + 2 :]
        (folder / f"{number:05d}.txt").write_bytes(body)
