"""The byte forms in which one secret value may appear in a file: raw, base64, URL-quoted, JSON-escaped, hexadecimal, UTF-16.

A form is exact: finding it means finding the secret. Base64 has three alignments, since what precedes the value in the encoded
text shifts it; of each only the characters that the value alone determines are kept. Called by runner/evidence/redaction.py,
which runs where only the standard library is installed.
"""

import base64
import json
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote, quote_plus

MIN_SECRET_CHARACTERS: Final = 4
_MIN_FORM_BYTES: Final = 4
_MIN_BASE64_BYTES: Final = 6


def forms_of(value: str) -> list[bytes]:
    """Return the distinct byte forms of `value`, longest first, ties in byte order."""
    found = {form for form in _forms(value) if len(form) >= _MIN_FORM_BYTES}
    return sorted(found, key=lambda form: (-len(form), form))


def _forms(value: str) -> Iterator[bytes]:
    raw = value.encode("utf-8", "surrogateescape")
    yield raw
    yield from _base64_forms(raw)
    for quoted in (quote(raw, safe=""), quote(raw, safe="/"), quote_plus(raw)):
        yield quoted.encode()
        yield _lower_escapes(quoted).encode()
    text = value.encode("utf-8", "replace").decode("utf-8")
    for ascii_only in (True, False):
        once = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
        yield once.encode()
        yield once.replace("/", "\\/").encode()
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1].encode()
    yield raw.hex().encode()
    yield raw.hex().upper().encode()
    yield text.encode("utf-16-le")
    yield text.encode("utf-16-be")


def _base64_forms(raw: bytes) -> Iterator[bytes]:
    """Yield, for each alignment and both alphabets, the characters that no neighbouring byte can change."""
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + raw)
        sure = encoded[(8 * shift + 5) // 6 : 8 * (shift + len(raw)) // 6]
        if len(sure) >= _MIN_BASE64_BYTES:
            yield sure
            yield sure.replace(b"+", b"-").replace(b"/", b"_")


def _lower_escapes(quoted: str) -> str:
    head, *rest = quoted.split("%")
    return "%".join([head, *(part[:2].lower() + part[2:] for part in rest)])
