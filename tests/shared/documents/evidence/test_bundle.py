import pytest

from shared.digests import sha256
from shared.documents.evidence.bundle import Inventory, InventoryFile, MarkerDocument, Requirement
from shared.errors import BadInput

FILE = InventoryFile(path="a", kind="log", size_bytes=1, sha256=sha256(b"1"), stored="loose", classification="verbatim")


def inventory(**changed: object) -> Inventory:
    """Return an inventory of one file."""
    given = {"subject": "s", "files": (FILE,), "requirements": (), "left_out": (), "redactions": {}, **changed}
    return Inventory(**given)  # type: ignore[arg-type]  # the fields are checked when it is made


def test_one_path_may_lie_loose_and_in_the_archive() -> None:
    """Path and place together name a stored file, and each pair stands once."""
    archived = FILE.model_copy(update={"stored": "archive"})
    assert len(inventory(files=(archived, FILE)).files) == 2
    with pytest.raises(ValueError, match="sorted by path and place"):
        inventory(files=(FILE, archived))


def test_evidence_is_sufficient_when_every_requirement_is_met() -> None:
    """One unmet requirement is enough."""
    met, unmet = Requirement(path="a", is_met=True), Requirement(path="b", is_met=False)
    assert inventory(requirements=(met,)).is_sufficient
    assert not inventory(requirements=(met, unmet)).is_sufficient


def test_a_marker_names_subject_checksums_and_fence() -> None:
    """The bytes of a marker are these."""
    marker = MarkerDocument(subject="att-1", checksums_sha256=sha256(b""), fence=7)
    assert marker.to_bytes() == b'{"checksums_sha256":"%b","fence":7,"subject":"att-1"}' % sha256(b"").encode()
    with pytest.raises(BadInput, match="MARKER_INVALID"):
        MarkerDocument.from_bytes(b"{}")
