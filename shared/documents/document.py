"""The base of every serialised document: frozen and strict, written as canonical JSON, read with an error that names the field.

What must always be true: two documents with equal values have equal bytes, on every machine and under both pydantic versions, and
`from_bytes(document.to_bytes()) == document`. The digest of those bytes is the document's identity. Unknown fields, repeated
keys, NaN, infinities and integers beyond 2^53 - 1 are refused rather than read in one of several ways. Every module that
writes or reads JSON for others goes through here.
"""

import json
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from shared.digests import Digest, canonical_json, sha256
from shared.errors import BadInput


class Document(BaseModel):
    """A value that is stored or sent as JSON; subclasses list fields, and validators where a field alone cannot say it."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False, ser_json_inf_nan="constants")

    error_code: ClassVar[str] = "DOCUMENT_INVALID"

    def to_bytes(self) -> bytes:
        """Return the RFC 8785 bytes of this document, without a final newline."""
        return canonical_json(self.model_dump(mode="json", by_alias=True))

    @property
    def digest(self) -> Digest:
        """The SHA-256 of `to_bytes()`: the identity of this document."""
        return sha256(self.to_bytes())

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the document that `data` (UTF-8 JSON in any layout) says; raise BadInput naming the first wrong field."""
        return cls.from_json(read_json(data, what=cls.__name__, code=cls.error_code))

    @classmethod
    def from_json(cls, value: Any) -> Self:
        """Return the document that the decoded JSON `value` says; raise BadInput naming the first wrong field."""
        try:
            return cls.model_validate_json(json.dumps(value, allow_nan=False))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(str(part) for part in first["loc"])
            raise BadInput(cls.error_code, f"{cls.__name__}: {first['msg']}", field=field) from None
        except (ValueError, RecursionError) as error:
            raise BadInput(cls.error_code, f"{cls.__name__}: {error}") from None


def read_json(data: bytes, *, what: str, code: str = "DOCUMENT_INVALID") -> Any:
    """Return the one JSON value that `data` holds; raise BadInput for repeated keys, NaN, bad UTF-8 or bottomless nesting."""
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_refuse_repeated, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise BadInput(code, f"{what} is not one readable JSON value: {error}") from None


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for key, value in pairs:
        if key in read:
            raise ValueError(f"the key {key!r} stands twice in one object")
        read[key] = value
    return read


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is not a JSON number")
