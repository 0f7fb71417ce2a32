import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.digests import canonical_json
from shared.errors import BadInput
from shared.ids import RequestId
from shared.inbox.codec import KINDS, MAX_BYTES, Actor, Request, RequestSubject, decode_request, encode_request, is_urgent

ID = RequestId("req-" + "0" * 32)


def request(kind: str = "submit", body: str = "{}", user: str = "user-1") -> Request:
    """Return a request."""
    return Request(ID, kind, Actor(user, "org-1", "member"), RequestSubject("run", "run-1"), body)


@given(st.sampled_from(sorted(KINDS)), st.text(max_size=200))
def test_a_request_goes_there_and_back(kind: str, body: str) -> None:
    """Any text may be its body."""
    asked = request(kind, body)
    assert decode_request(encode_request(asked)) == asked


def test_the_bytes_are_canonical() -> None:
    """Both houses write the same bytes, so an id stands for exactly them."""
    data = encode_request(request())
    assert canonical_json(json.loads(data)) == data


def changed(**fields: object) -> bytes:
    """Return the bytes of a request with other fields."""
    return canonical_json(json.loads(encode_request(request())) | fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\xff", "REQUEST_INVALID"),
        (b"[]", "REQUEST_INVALID"),
        (b"[" * 100_000, "REQUEST_INVALID"),
        (changed(kind="dance"), "REQUEST_INVALID"),
        (changed(request_id="../x"), "REQUEST_INVALID"),
        (changed(schema_version=2), "REQUEST_INVALID"),
        (changed(schema_version=True), "REQUEST_INVALID"),
        (changed(extra=1), "REQUEST_INVALID"),
        (changed(actor="user-1"), "REQUEST_INVALID"),
        (changed(actor={"user_id": "u"}), "REQUEST_INVALID"),
        (changed(subject={"type": "run", "id": 7}), "REQUEST_INVALID"),
        (changed(actor={"user_id": "a\nb", "org_id": "", "role": ""}), "REQUEST_INVALID"),
        (changed(actor={"user_id": "u", "org_id": "", "role": ""}).replace(b'"u"', b'"\\ud800"'), "REQUEST_INVALID"),
        (changed(body="x").replace(b'"x"', b'"\\ud800"'), "REQUEST_INVALID"),
        (changed(body=7), "REQUEST_INVALID"),
        (changed(body="other"), "REQUEST_DIGEST"),
        (b" " * (MAX_BYTES + 1), "REQUEST_TOO_LARGE"),
    ],
)
def test_anything_else_is_refused_with_its_code(data: bytes, code: str) -> None:
    """Malformed bytes never raise something else."""
    with pytest.raises(BadInput, match=code):
        decode_request(data)


def test_a_request_has_at_most_256_kib() -> None:
    """The body counts as it is written."""
    with pytest.raises(BadInput, match="REQUEST_TOO_LARGE"):
        encode_request(request(body="x" * MAX_BYTES))


def test_only_cancel_and_hold_are_urgent() -> None:
    """They stop things."""
    assert {kind for kind in KINDS if is_urgent(encode_request(request(kind)))} == {"cancel", "hold"}
    assert not is_urgent(b"cancel")
