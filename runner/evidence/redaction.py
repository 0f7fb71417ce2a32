"""Redaction: secrets leave the bytes before the bytes reach a store, by value and by shape, never by the name of a key.

One byte expression holds the exact forms of the given secrets and the shapes of well-known credentials. It is run by a DFA engine
(google-re2) where that is installed and by `re` elsewhere, with equal results. Bytes are taken in chunks of any size; each
chunk is scanned together with the end of the one before, so where a chunk ends never changes what comes out.

What must always be true: no exact form of a secret is in the output; overlapping finds become one `[redacted:<rule>]`; the
output of the whole equals the output of any cutting into chunks. Bytes with a find are passed through twice, since a find that
was replaced may have hidden that a word begins after it. This module imports the standard library and `shared` alone:
it is also used where neither the DFA engine nor a fast deflate is installed.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from runner.evidence.secret_forms import MIN_SECRET_CHARACTERS, forms_of
from shared.errors import BadInput
from shared.secret_patterns import MAX_HEAD_BYTES, SHAPES

type Engine = Literal["auto", "re2", "re"]


class Redacted(NamedTuple):
    """Bytes without secrets, and how often each rule found one."""

    data: bytes
    hits: Mapping[str, int]


class _Span(NamedTuple):
    start: int
    end: int
    rule: str
    tail: int | None


class Redactor:
    """Holds the expression for one set of secret values (name -> value), which are kept in memory and never shown."""

    def __init__(self, secrets: Mapping[str, str], *, engine: Engine = "auto") -> None:
        self._exact = _exact_forms(secrets)
        self.overlap: Final = max([MAX_HEAD_BYTES, *(len(form) for form in self._exact)])
        alternatives = [_escaped(form) for form in self._exact]
        shapes = [f"({shape.head}{shape.tail}*)".encode() for shape in SHAPES]
        self._any: Final = _compile(b"|".join([*alternatives, *(f"{s.head}{s.tail}*".encode() for s in SHAPES)]), engine)
        self._shape: Final = _compile(b"|".join(shapes), engine)
        self._tails: Final = [_compile(f"{shape.tail}*".encode(), engine) for shape in SHAPES]

    def __repr__(self) -> str:
        return f"Redactor({len(self._exact)} forms)"

    def redact(self, data: bytes) -> Redacted:
        """Return `data` with every find replaced."""
        if self._any.search(data) is None:
            return Redacted(data, {})
        stream = self.stream()
        return Redacted(stream.feed(data) + stream.finish(), dict(stream.hits))

    def redact_text(self, text: str) -> str:
        """Return `text` with every find replaced; for errors, log lines and paths."""
        return self.redact(text.encode("utf-8", "surrogateescape")).data.decode("utf-8", "surrogateescape")

    def stream(self) -> "RedactionStream":
        """Return a stream that redacts bytes given in pieces."""
        return RedactionStream(self)

    def spans(self, data: bytes, shapes_from: int) -> list[_Span]:
        """Return all finds in `data`: every exact form, overlapping ones too, and the shapes from `shapes_from` on."""
        found = []
        for form, rule in self._exact.items():
            at = data.find(form)
            while at >= 0:
                found.append(_Span(at, at + len(form), rule, None))
                at = data.find(form, at + 1)
        at = shapes_from
        while match := self._shape.search(data, at):
            index = match.lastindex - 1
            found.append(_Span(match.start(), match.end(), SHAPES[index].rule, index))
            at = match.end()
        return sorted(found, key=lambda span: (span.start, span.tail is not None, -span.end))

    def tail_end(self, index: int, data: bytes, start: int) -> int:
        """Return where the bytes that belong to the tail of the shape at `index` end, from `start` on."""
        return int(self._tails[index].match(data, start).end())

    def is_clean(self, data: bytes) -> bool:
        """Tell in one search that `data` holds no find."""
        return self._any.search(data) is None


class RedactionStream:
    """Redacts bytes given in pieces; what may still be part of a find is held back until the next piece or the end."""

    def __init__(self, redactor: Redactor) -> None:
        self._first, self._second = _Pass(redactor), _Pass(redactor)

    @property
    def hits(self) -> Counter[str]:
        """How often each rule found something so far."""
        return self._first.hits + self._second.hits

    def feed(self, chunk: bytes) -> bytes:
        """Return what can be said of the bytes so far."""
        return self._second.feed(self._first.feed(chunk))

    def finish(self) -> bytes:
        """Return the rest."""
        return self._second.feed(self._first.finish()) + self._second.finish()


class _Pass:
    """One pass over the pieces."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = b""
        self._before = b""
        self._covered = 0
        self._resume = 0
        self._tail: int | None = None
        self.hits: Counter[str] = Counter()

    def feed(self, chunk: bytes) -> bytes:
        """Return what can be said of the bytes so far."""
        if not chunk:
            return b""
        return self._advance(self._held + chunk, is_last=False)

    def finish(self) -> bytes:
        """Return the rest."""
        return self._advance(self._held, is_last=True)

    def _advance(self, data: bytes, *, is_last: bool) -> bytes:
        if self._tail is not None:
            self._resume = self._redactor.tail_end(self._tail, data, self._resume)
            self._covered = max(self._covered, self._resume)
            if self._resume < len(data):
                self._tail = None
        cut = len(data) if is_last else max(0, len(data) - self._redactor.overlap)
        shapes_from = self._resume
        spans = [] if self._is_plainly_clean(data) else self._find(data, shapes_from)
        return self._emit(data, spans, cut)

    def _is_plainly_clean(self, data: bytes) -> bool:
        return not self._covered and not self._resume and self._redactor.is_clean(self._before + data)

    def _find(self, data: bytes, shapes_from: int) -> list[_Span]:
        """Find with one byte of what came before, which decides whether a word begins here."""
        offset = len(self._before)
        moved = self._redactor.spans(self._before + data, shapes_from + offset)
        return [_Span(s.start - offset, s.end - offset, s.rule, s.tail) for s in moved if s.start >= offset]

    def _emit(self, data: bytes, spans: list[_Span], cut: int) -> bytes:
        """Write everything before `cut`, each merged span as one token, and remember what reaches beyond it."""
        pieces: list[bytes] = []
        at, covered, resume = 0, self._covered, self._resume
        for span in spans:
            if span.start >= cut:
                break
            if span.start >= covered:
                pieces += [data[max(at, covered) : span.start], f"[redacted:{span.rule}]".encode()]
                self.hits[span.rule] += 1
                at = span.start
            covered = max(covered, span.end)
            if span.tail is not None:
                resume = span.end
                self._tail = span.tail if span.end == len(data) else None
        pieces.append(data[max(at, covered) : cut])
        self._before = data[cut - 1 : cut] if cut else self._before
        self._held = data[cut:]
        self._covered, self._resume = max(0, covered - cut), max(0, resume - cut)
        return b"".join(pieces)


def _exact_forms(secrets: Mapping[str, str]) -> dict[bytes, str]:
    """Return form -> rule, longest form first; the first secret by name keeps a form that two share."""
    found: dict[bytes, str] = {}
    for name in sorted(secrets):
        if len(secrets[name]) < MIN_SECRET_CHARACTERS:
            raise BadInput(
                "SECRET_TOO_SHORT",
                f"a secret has fewer than {MIN_SECRET_CHARACTERS} characters and would shred every file",
                field=name,
                way_out="Give it a longer value, or pass it as an ordinary setting.",
            )
        rule = re.sub(r"[^A-Za-z0-9_.-]", "_", name)
        for form in forms_of(secrets[name]):
            found.setdefault(form, rule)
    return dict(sorted(found.items(), key=lambda pair: (-len(pair[0]), pair[0])))


def _escaped(form: bytes) -> bytes:
    return b"".join(bytes([byte]) if chr(byte).isascii() and chr(byte).isalnum() else b"\\x%02x" % byte for byte in form)


def _compile(expression: bytes, engine: Engine) -> Any:
    if engine != "re":
        try:
            import re2
        except ImportError:
            if engine == "re2":
                raise
        else:
            options = re2.Options()
            options.encoding = re2.Options.Encoding.LATIN1
            options.log_errors = False
            options.max_mem = 64 << 20
            return re2.compile(expression, options)
    return re.compile(expression)
