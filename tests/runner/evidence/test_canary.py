"""One canary secret goes into an attempt by twelve channels and comes out of none: not in the store, an error or a log."""

import base64
import io
import json
import logging
import tarfile
from pathlib import Path
from urllib.parse import quote

import pytest

from runner.adapters.local.stores.evidence import LocalEvidenceStore
from runner.evidence.bundle import SealedBundle, SealOrder, seal_attempt
from runner.evidence.redaction import Redactor
from runner.evidence.secret_forms import forms_of
from runner.evidence.verification import verify_bundle
from shared.digests import CHUNK_BYTES
from shared.documents.evidence.bundle import Marker
from shared.errors import SeawallError
from tests.runner.evidence.trees import PREFIX, everything, make_attempt

CANARY = 'canary/7c1f+42b9"d0=e5'
RAW = CANARY.encode()
ORDER = SealOrder(subject="att-1", marker=Marker.SUCCESS, fence=1, secrets={"CANARY": CANARY}, required=("harbor/result.json",))
NAME = "canary-9f-token"
CHANNELS: dict[str, bytes] = {
    "harbor/agent/raw.txt": b"key=" + RAW,
    "harbor/agent/base64.txt": b" ".join(base64.b64encode(b"u" * shift + RAW) for shift in range(3)),
    "harbor/agent/url.txt": f"https://x.invalid/?k={quote(CANARY, safe='')}".encode(),
    "harbor/agent/trajectory.json": json.dumps([{"content": CANARY}]).encode(),
    "harbor/agent/nested.json": json.dumps({"body": json.dumps({"k": CANARY})}).encode(),
    "harbor/agent/edge.log": b"x" * (3 * CHUNK_BYTES - 9) + RAW + b"y" * CHUNK_BYTES,
    "harbor/agent/memory.bin": b"\0\1\2" + RAW + b"\0",
    "harbor/agent/wide.txt": CANARY.encode("utf-16-le"),
    "harbor.log": b"ERROR: bad key " + RAW + b"\n",
    "events.jsonl": json.dumps({"event": "error", "message": CANARY}).encode() + b"\n",
    "harbor/exception.txt": f"ValueError: {CANARY!r}".encode(),
    f"harbor/agent/{NAME}.txt": b"in the name",
}


def leaks(blobs: dict[str, bytes]) -> list[str]:
    """Return the paths of `blobs` in whose path or bytes, or archive members, any form of the canary stands."""
    forms = [form for secret in (CANARY, NAME) for form in forms_of(secret)]
    opened = dict(blobs)
    for path, data in blobs.items():
        if path.endswith(".tar.gz"):
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                for member in archive:
                    content = archive.extractfile(member)
                    opened[f"{path}!{member.name}"] = content.read() if content else b""
    return [path for path, data in opened.items() if any(form in data or form in path.encode() for form in forms)]


def seal(work: Path, secrets: dict[str, str]) -> tuple[SealedBundle, LocalEvidenceStore]:
    """Seal an attempt that holds the canary in every channel."""
    store = LocalEvidenceStore(work / "store")
    order = SealOrder(subject="att-1", marker=Marker.SUCCESS, fence=1, secrets=secrets, required=ORDER.required)
    return seal_attempt(make_attempt(work / "staging", extra=CHANNELS), PREFIX, order, store), store


def test_the_canary_is_nowhere_in_the_store(tmp_path: Path) -> None:
    """Twelve channels in, none out; the bundle verifies and the reward is unharmed."""
    sealed, store = seal(tmp_path, {"CANARY": CANARY, "NAME": NAME})
    assert leaks(everything(tmp_path / "store")) == []
    assert verify_bundle(store, PREFIX) == sealed
    assert sealed.category is None
    assert sealed.redactions["NAME"] == 1
    assert sealed.redactions["CANARY"] >= 10
    assert {left.path: left.reason for left in sealed.left_out} == {
        "harbor/agent/memory.bin": "secret_in_binary",
        "harbor/agent/wide.txt": "secret_in_binary",
    }


def test_the_search_for_leaks_finds_each_channel(tmp_path: Path) -> None:
    """Without the secret's value nothing is redacted, and the search then finds every channel: it can fail."""
    seal(tmp_path, {})
    found = leaks(everything(tmp_path / "store"))
    assert {path.rsplit("!", 1)[-1].removeprefix(f"{PREFIX}/") for path in found} >= set(CHANNELS)


def test_the_canary_is_in_no_error_no_log_and_no_representation(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Neither what is raised nor what is logged or shown has the value."""
    caplog.set_level(logging.DEBUG)
    sealed, store = seal(tmp_path, {"CANARY": CANARY, "NAME": NAME})
    with pytest.raises(SeawallError) as caught:
        seal_attempt(make_attempt(tmp_path / "other", reward=0.0, extra=CHANNELS), PREFIX, ORDER, store)
    shown = f"{caught.value} {caught.value.__dict__} {caplog.text} {ORDER!r} {sealed!r} {Redactor(ORDER.secrets)!r}"
    assert not any(form.decode("latin-1") in shown for form in forms_of(CANARY))


def test_nothing_of_the_seal_is_left_on_disk(tmp_path: Path) -> None:
    """The folder in which redacted files were prepared goes away, after success and after failure."""
    _, store = seal(tmp_path, {"CANARY": CANARY, "NAME": NAME})
    with pytest.raises(SeawallError):
        seal_attempt(make_attempt(tmp_path / "other", reward=0.0), PREFIX, ORDER, store)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["other", "staging", "store"]
