"""A request and its bytes: what a person asks the pass to do, as both houses write and read it.

The bytes are canonical JSON, so the same request has the same bytes in either house and its id stands for exactly them. The body
is the text of the document that the request carries (an experiment, a reason); its digest is in the request, so an approval
can name what it approves. Nothing here judges rights: the pass does, when it takes the request.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from shared.digests import canonical_json, sha256
from shared.errors import BadInput
from shared.ids import RequestId, is_id
from shared.versions import REQUEST

KINDS: Final = frozenset({"submit", "cancel", "retry", "seal", "resume", "hold", "approve", "consent", "withdraw"})
URGENT_KINDS: Final = frozenset({"cancel", "hold"})
MAX_BYTES: Final = 256 * 1024
_FIELDS: Final = frozenset({"schema_version", "request_id", "kind", "actor", "subject", "body", "body_sha256"})
_WORD: Final = re.compile(r"[^\x00-\x1f\x7f]{0,200}")


@dataclass(frozen=True, slots=True)
class Actor:
    """Who asks, as the identity provider named them."""

    user_id: str
    org_id: str
    role: str


@dataclass(frozen=True, slots=True)
class RequestSubject:
    """What the request is about, such as ("run", "run-..")."""

    type: str
    id: str


@dataclass(frozen=True, slots=True)
class Request:
    """One request; `body` is JSON text and may be empty."""

    request_id: RequestId
    kind: str
    actor: Actor
    subject: RequestSubject
    body: str

    @property
    def body_sha256(self) -> str:
        """Return the digest of the body's UTF-8 bytes."""
        return sha256(self.body.encode("utf-8"))


def encode_request(request: Request) -> bytes:
    """Return the bytes of `request`; raise REQUEST_INVALID or REQUEST_TOO_LARGE."""
    _check(request)
    data = canonical_json(
        {
            "schema_version": REQUEST,
            "request_id": request.request_id,
            "kind": request.kind,
            "actor": {"user_id": request.actor.user_id, "org_id": request.actor.org_id, "role": request.actor.role},
            "subject": {"type": request.subject.type, "id": request.subject.id},
            "body": request.body,
            "body_sha256": request.body_sha256,
        }
    )
    _check_size(data)
    return data


def decode_request(data: bytes) -> Request:
    """Return the request that `data` says; raise REQUEST_INVALID, REQUEST_TOO_LARGE or REQUEST_DIGEST."""
    _check_size(data)
    try:
        found: Any = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _invalid("it is not JSON") from error
    request = _from_json(found)
    _check(request)
    if found["body_sha256"] != request.body_sha256:
        raise BadInput(
            "REQUEST_DIGEST", "the body is not the one that its digest names", field="body_sha256", way_out="Ask again."
        )
    return request


def is_urgent(data: bytes) -> bool:
    """Tell whether `data` is a request that is let in even when the inbox is full: a cancel or a hold."""
    try:
        return decode_request(data).kind in URGENT_KINDS
    except BadInput:
        return False


def _from_json(found: Any) -> Request:
    if not isinstance(found, dict) or set(found) != _FIELDS:
        raise _invalid(f"expected exactly the fields {', '.join(sorted(_FIELDS))}")
    if found["schema_version"] != REQUEST or isinstance(found["schema_version"], bool):
        raise _invalid(f"expected schema_version {REQUEST}", "schema_version")
    actor = _texts(found["actor"], ("user_id", "org_id", "role"), "actor")
    subject = _texts(found["subject"], ("type", "id"), "subject")
    own = _texts({key: found[key] for key in ("request_id", "kind", "body", "body_sha256")}, ("request_id", "kind", "body"), "")
    return Request(RequestId(own[0]), own[1], Actor(*actor), RequestSubject(*subject), own[2])


def _texts(found: Any, names: tuple[str, ...], field: str) -> list[str]:
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()) or not set(names) <= set(found):
        raise _invalid(f"expected text for {', '.join(names)}", field)
    return [found[name] for name in names]


def _check(request: Request) -> None:
    if not is_id(request.request_id, "req"):
        raise _invalid("expected `req-` and 32 hexadecimal characters", "request_id")
    if request.kind not in KINDS:
        raise _invalid(f"expected one of {', '.join(sorted(KINDS))}", "kind")
    words = (request.actor.user_id, request.actor.org_id, request.actor.role, request.subject.type, request.subject.id)
    if not all(_WORD.fullmatch(word) for word in words):
        raise _invalid("expected at most 200 characters and no control characters", "actor, subject")
    try:
        "".join((*words, request.body)).encode("utf-8")
    except UnicodeEncodeError as error:
        raise _invalid("expected text without lone surrogates", "actor, subject, body") from error


def _check_size(data: bytes) -> None:
    if len(data) > MAX_BYTES:
        raise BadInput(
            "REQUEST_TOO_LARGE",
            f"a request has at most {MAX_BYTES} bytes, this one {len(data)}",
            way_out="Ask for less, or for several runs.",
        )


def _invalid(message: str, field: str = "") -> BadInput:
    return BadInput(
        "REQUEST_INVALID",
        f"not a request: {message}",
        field=field,
        way_out="Ask again with the commands, or on the page Request.",
    )
