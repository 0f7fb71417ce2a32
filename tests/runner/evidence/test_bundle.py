import base64
import json
from pathlib import Path

import pytest

from runner.adapters.local.stores.evidence import LocalEvidenceStore
from runner.evidence.bundle import SealOrder, seal_attempt, seal_bundle
from runner.evidence.inventory import SealLimits
from runner.evidence.verification import verify_bundle
from shared.documents.evidence.bundle import Marker
from shared.errors import Conflict, Refused
from shared.outcomes import Category
from tests.runner.evidence.trees import ORDER, PREFIX, SECRETS, everything, make_attempt


@pytest.fixture
def store(tmp_path: Path) -> LocalEvidenceStore:
    """Return an empty evidence store."""
    return LocalEvidenceStore(tmp_path / "store")


def test_a_sealed_attempt_verifies_as_what_was_sealed(tmp_path: Path, store: LocalEvidenceStore) -> None:
    """Sealing and verification report one and the same bundle."""
    sealed = seal_attempt(make_attempt(tmp_path / "a"), PREFIX, ORDER, store)
    assert verify_bundle(store, PREFIX) == sealed
    assert (sealed.marker, sealed.fence, sealed.category, sealed.left_out) == (Marker.SUCCESS, 3, None, ())


def test_harbors_whole_tree_is_archived_and_four_kinds_lie_loose(tmp_path: Path, store: LocalEvidenceStore) -> None:
    """The layout of a bundle is the documented one."""
    seal_attempt(make_attempt(tmp_path / "a"), PREFIX, ORDER, store)
    assert [file.path.removeprefix(f"{PREFIX}/") for file in store.list(PREFIX)] == [
        "_SUCCESS",
        "artifacts.tar.gz",
        "attempt.json",
        "checksums.json",
        "events.jsonl",
        "harbor.log",
        "harbor/agent/trajectory.json",
        "harbor/lock.json",
        "harbor/result.json",
        "private-artifacts.json",
    ]


def test_sealing_twice_changes_nothing(tmp_path: Path, store: LocalEvidenceStore) -> None:
    """A repeat over the same folder gives the same bundle and the same bytes."""
    staging = make_attempt(tmp_path / "a")
    first = seal_attempt(staging, PREFIX, ORDER, store)
    before = everything(tmp_path / "store")
    assert seal_attempt(staging, PREFIX, ORDER, store) == first
    assert everything(tmp_path / "store") == before


def test_other_bytes_under_the_same_prefix_are_a_conflict(tmp_path: Path, store: LocalEvidenceStore) -> None:
    """A second, different attempt folder cannot replace a sealed one."""
    seal_attempt(make_attempt(tmp_path / "a"), PREFIX, ORDER, store)
    with pytest.raises(Conflict, match="BUNDLE_CONFLICT"):
        seal_attempt(make_attempt(tmp_path / "b", reward=0.0), PREFIX, ORDER, store)
    verify_bundle(store, PREFIX)


def test_a_second_marker_is_a_conflict(tmp_path: Path, store: LocalEvidenceStore) -> None:
    """A bundle sealed as a success cannot also be sealed as cancelled, and two markers do not verify."""
    staging = make_attempt(tmp_path / "a")
    seal_attempt(staging, PREFIX, ORDER, store)
    cancelled = SealOrder(subject="att-1", marker=Marker.CANCELLED, fence=3, secrets=SECRETS)
    with pytest.raises(Conflict, match="already sealed as _SUCCESS"):
        seal_attempt(staging, PREFIX, cancelled, store)
    store.put(f"{PREFIX}/_FAILED", b"{}")
    with pytest.raises(Conflict, match="BUNDLE_CONFLICT"):
        verify_bundle(store, PREFIX)


def test_a_missing_requirement_makes_the_evidence_insufficient(tmp_path: Path, store: LocalEvidenceStore) -> None:
    """Without a required file a success is sealed as failed, with the category evidence."""
    staging = make_attempt(tmp_path / "a")
    (staging / "harbor/result.json").unlink()
    sealed = seal_attempt(staging, PREFIX, ORDER, store)
    assert (sealed.marker, sealed.category) == (Marker.FAILED, Category.EVIDENCE)
    assert verify_bundle(store, PREFIX) == sealed


def test_required_files_have_first_claim_on_the_limit(tmp_path: Path, store: LocalEvidenceStore) -> None:
    """When an attempt is too big, what is not required is left out and nothing fails."""
    staging = make_attempt(tmp_path / "a", extra={"harbor/agent/a.bin": b"x" * 5000, "harbor/z.bin": b"y" * 9000})
    order = SealOrder(subject="s", marker=Marker.SUCCESS, required=("harbor/z.bin",), limits=SealLimits(max_attempt_bytes=12_000))
    sealed = seal_attempt(staging, PREFIX, order, store)
    assert [(left.path, left.reason) for left in sealed.left_out] == [("harbor/agent/a.bin", "attempt_too_big")]
    assert sealed.category is None


def test_a_secret_that_is_the_reward_is_never_stored_and_never_scored(tmp_path: Path, store: LocalEvidenceStore) -> None:
    """When redaction would change the rewards, the result is left out and the attempt is a failure of evidence."""
    staging = make_attempt(tmp_path / "a", reward=0.7351)
    sealed = seal_attempt(staging, PREFIX, SealOrder(subject="s", marker=Marker.SUCCESS, secrets={"PIN": "0.7351"}), store)
    assert (sealed.marker, sealed.category) == (Marker.FAILED, Category.EVIDENCE)
    assert [(left.path, left.reason) for left in sealed.left_out] == [("harbor/result.json", "redaction_changes_reward")]
    assert not any(b"0.7351" in data for data in everything(tmp_path / "store").values())


def test_a_secret_elsewhere_in_the_result_leaves_the_reward_alone(tmp_path: Path, store: LocalEvidenceStore) -> None:
    """A token in the result's text is redacted and the result is kept."""
    result = json.dumps({"note": SECRETS["API_KEY"], "verifier_result": {"rewards": {"reward": 0.5}}}).encode()
    sealed = seal_attempt(make_attempt(tmp_path / "a", extra={"harbor/result.json": result}), PREFIX, ORDER, store)
    stored = json.loads(everything(tmp_path / "store")[f"{PREFIX}/harbor/result.json"])
    assert stored == {"note": "[redacted:API_KEY]", "verifier_result": {"rewards": {"reward": 0.5}}}
    assert sealed.redactions == {"API_KEY": 1}


def test_a_secret_inside_its_own_redaction_is_left_out(tmp_path: Path, store: LocalEvidenceStore) -> None:
    """A value that the replacement would spell again is never stored."""
    staging = make_attempt(tmp_path / "a", extra={"harbor/agent/note.txt": b"it was redacted: yes"})
    sealed = seal_attempt(staging, PREFIX, SealOrder(subject="s", marker=Marker.SUCCESS, secrets={"W": "redacted:"}), store)
    assert [(left.path, left.reason) for left in sealed.left_out] == [("harbor/agent/note.txt", "secret_survives_redaction")]


def test_wave_files_are_redacted_and_listed_with_what_already_stands(tmp_path: Path, store: LocalEvidenceStore) -> None:
    """A wave's bundle holds clean files, and lists the progress segments that stand in the store."""
    store.put("w/progress/000001.jsonl", b"{}\n")
    order = SealOrder(subject="wave-1", marker=Marker.SUCCESS, fence=2, secrets=SECRETS)
    files = {"events.jsonl": base64.b64encode(SECRETS["HF_TOKEN"].encode()), "wave-summary.json": b"{}"}
    sealed = seal_bundle("w", files, order, store, present=("progress/000001.jsonl",))
    assert b"[redacted:HF_TOKEN]" in everything(tmp_path / "store")["w/events.jsonl"]
    assert (sealed.files, sealed.redactions) == (3, {"HF_TOKEN": 1})
    assert verify_bundle(store, "w") == sealed


def test_an_unsealed_bundle_does_not_verify(store: LocalEvidenceStore) -> None:
    """Files without a marker are not a bundle."""
    store.put("w/events.jsonl", b"")
    with pytest.raises(Refused, match="BUNDLE_UNSEALED"):
        verify_bundle(store, "w")
