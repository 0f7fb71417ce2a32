"""Canonical bytes and SHA-256 digests, the identity of everything that Seawall stores.

Canonical JSON follows RFC 8785 (JSON Canonicalization Scheme): keys sorted by UTF-16 code units, no white space, numbers
as ECMAScript prints them. Integers outside +-(2^53 - 1), NaN and infinities are refused, since two readers could disagree on
them. A digest is 64 lowercase hexadecimal characters, never prefixed. Called by every module that names bytes.
"""

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import BinaryIO, Final, NewType

Digest = NewType("Digest", str)

type Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]

MAX_SAFE_INTEGER: Final = 2**53 - 1
CHUNK_BYTES: Final = 1 << 20
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_encode_text = json.encoder.encode_basestring


def canonical_json(value: Json) -> bytes:
    """Return the RFC 8785 bytes of `value`; raise ValueError for a number or key that has no canonical form."""
    try:
        return _canonical(value).encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("text with a lone surrogate has no canonical form") from error


def digest_of(value: Json) -> Digest:
    """Return the digest of the canonical JSON of `value`."""
    return sha256(canonical_json(value))


def sha256(data: bytes | bytearray | memoryview) -> Digest:
    """Return the digest of `data`."""
    return Digest(hashlib.sha256(data).hexdigest())


def sha256_stream(stream: BinaryIO) -> tuple[Digest, int]:
    """Return digest and size in bytes of what is left in `stream`, read in chunks of 1 MiB."""
    running, size = hashlib.sha256(), 0
    while chunk := stream.read(CHUNK_BYTES):
        running.update(chunk)
        size += len(chunk)
    return Digest(running.hexdigest()), size


def sha256_lines(lines: Iterable[bytes]) -> Digest:
    """Return the digest of `lines`, each followed by one newline, without joining them in memory."""
    running = hashlib.sha256()
    for line in lines:
        running.update(line)
        running.update(b"\n")
    return Digest(running.hexdigest())


def is_digest(text: str) -> bool:
    """Tell whether `text` is a full lowercase SHA-256 digest."""
    return _DIGEST.fullmatch(text) is not None


def parse_digest(text: str) -> Digest:
    """Return `text` as a digest or raise ValueError."""
    if not is_digest(text):
        raise ValueError("expected 64 lowercase hexadecimal characters (a SHA-256 digest)")
    return Digest(text)


def _canonical(value: Json) -> str:  # noqa: PLR0911 - one return per JSON type
    if isinstance(value, str):
        return _encode_text(value)
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int):
        if abs(value) > MAX_SAFE_INTEGER:
            raise ValueError(f"{value} has no canonical form: integers end at 2^53 - 1; use text")
        return str(int(value))
    if isinstance(value, float):
        return canonical_float(value)
    if isinstance(value, Mapping):
        return "{" + ",".join([f"{_encode_text(key)}:{_canonical(value[key])}" for key in _sorted_keys(value)]) + "}"
    return "[" + ",".join([_canonical(element) for element in value]) + "]"


def _sorted_keys(value: Mapping[str, Json]) -> list[str]:
    for key in value:
        if not isinstance(key, str):
            raise ValueError(f"object keys are text, not {type(key).__name__}")
    if "".join(value).isascii():
        return sorted(value)
    return sorted(value, key=_utf_16)


def _utf_16(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")


def canonical_float(value: float) -> str:
    """Return the shortest text that reads back as `value`, as ECMAScript prints it (RFC 8785, 3.2.2.3)."""
    if not math.isfinite(value):
        raise ValueError(f"{value} has no canonical form: numbers must be finite")
    if value == 0:
        return "0"
    if value < 0:
        return "-" + canonical_float(-value)
    mantissa, _, exponent_text = f"{value!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    if fraction == "0":
        fraction = ""
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent_text or 0) if whole != "0" else int(exponent_text or 0) - _leading_zeros(fraction)
    digits = digits.rstrip("0")
    return _place_point(digits, point)


def _leading_zeros(fraction: str) -> int:
    return len(fraction) - len(fraction.lstrip("0"))


def _place_point(digits: str, point: int) -> str:
    """Print `0.digits x 10^point` by the rules of ECMAScript's Number::toString."""
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    exponent = point - 1
    sign = "+" if exponent > 0 else "-"
    tail = f".{digits[1:]}" if count > 1 else ""
    return f"{digits[0]}{tail}e{sign}{abs(exponent)}"
