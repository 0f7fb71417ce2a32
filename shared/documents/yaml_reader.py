"""Untrusted YAML becomes plain values only after every event of it has passed the limits.

PyYAML's parser yields events (start of a mapping, a scalar, ..) without making an object; `read_yaml` looks at all of them first
and refuses, with line and column, what a reviewed manifest never needs and an attacker likes: anchors, aliases, tags, merge and
repeated keys, a second document, deep nesting, many nodes, long scalars, bad UTF-8. Scalars follow the core schema of YAML 1.2,
so `no` is text and `0o17` a number; NaN, infinities and integers past 64 bits are refused. Called by the readers of experiments,
profiles and eval.yaml.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, NoReturn

import yaml

from shared.errors import BadInput

MAX_BYTES: Final = 256 * 1024
MAX_DEPTH: Final = 20
MAX_NODES: Final = 50_000
MAX_SCALAR_BYTES: Final = 8 * 1024
CODE: Final = "MANIFEST_YAML"

type Path = tuple[str | int, ...]
type Place = tuple[int, int]

_INTEGER: Final = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE: Final = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS: Final[dict[str, bool | None]] = dict.fromkeys(("", "~", "null", "Null", "NULL")) | {
    word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")
}


class Tree(NamedTuple):
    """One YAML document: its value, made of dict, list, str, int, float, bool and None, and where each part of it stands."""

    value: Any
    lines: dict[Path, int]


def read_yaml(data: bytes) -> Tree:
    """Return the one document in `data`; raise BadInput `MANIFEST_YAML`, with line and column, for anything else."""
    if len(data) > MAX_BYTES:
        _refuse(f"more than {MAX_BYTES} bytes ({len(data)})", None, "Split it, or move text to files of the task.")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        _refuse(f"byte {error.start} is not UTF-8", None, "Save the file as UTF-8.")
    events = _checked_events(text)
    lines: dict[Path, int] = {}
    return Tree(_build(iter(events), (), lines), lines)


def _checked_events(text: str) -> list[yaml.Event]:
    """Return the events of the single document in `text`, all of them checked; the first is the root node's."""
    checked: list[yaml.Event] = []
    guard = _Guard()
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            guard.look_at(event)
            if isinstance(event, yaml.NodeEvent | yaml.CollectionEndEvent):
                checked.append(event)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        place = (mark.line + 1, mark.column + 1) if mark is not None else None
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be parsed"
        _refuse(str(problem), place, "Check indentation, quotes and brackets there.")
    if not checked:
        _refuse("the document is empty", None, "Write one mapping.")
    return checked


class _Guard:
    """What has been seen of the document so far, enough to refuse the next event."""

    def __init__(self) -> None:
        self._documents = 0
        self._nodes = 0
        self._keys: list[set[str] | None] = []
        self._expects_key: list[bool] = []

    def look_at(self, event: yaml.Event) -> None:
        """Raise BadInput if `event` may not stand here."""
        place = _at(event)
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                _refuse("a second document begins", place, "Keep one document a file.")
            if event.version or event.tags:
                _refuse("a %YAML or %TAG directive", place, "Remove the line.")
        elif isinstance(event, yaml.AliasEvent):
            _refuse("an alias (*name)", place, "Write the value out where it is needed.")
        elif isinstance(event, yaml.CollectionEndEvent):
            self._keys.pop()
            self._expects_key.pop()
        elif isinstance(event, yaml.NodeEvent):
            self._node(event, place)

    def _node(self, event: yaml.NodeEvent, place: Place) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            _refuse(f"more than {MAX_NODES} nodes", place, "Split the document.")
        if event.anchor is not None:
            _refuse("an anchor (&name)", place, "Write the value out where it is needed.")
        if getattr(event, "tag", None) is not None:
            _refuse("a tag (!name)", place, "Remove it; types follow from the field.")
        self._place(event, place)
        if isinstance(event, yaml.CollectionStartEvent):
            if len(self._keys) == MAX_DEPTH:
                _refuse(f"nesting deeper than {MAX_DEPTH}", place, "Flatten the document.")
            is_mapping = isinstance(event, yaml.MappingStartEvent)
            self._keys.append(set() if is_mapping else None)
            self._expects_key.append(is_mapping)
        elif isinstance(event, yaml.ScalarEvent):
            if len(event.value.encode("utf-8", "surrogatepass")) > MAX_SCALAR_BYTES:
                _refuse(f"a scalar of more than {MAX_SCALAR_BYTES} bytes", place, "Move the text to a file of the task.")
            if event.implicit[0]:
                _plain_value(event.value, place)

    def _place(self, event: yaml.NodeEvent, place: Place) -> None:
        """Note that `event` is the next key or value of the mapping it stands in."""
        if not self._keys or (keys := self._keys[-1]) is None:
            return
        if self._expects_key[-1]:
            if not isinstance(event, yaml.ScalarEvent):
                _refuse("a key that is a list or a mapping", place, "Keys are plain names.")
            if event.value == "<<" and event.implicit[0]:
                _refuse("a merge key (<<)", place, "Write the fields out.")
            if event.value in keys:
                _refuse(f"the key {event.value[:80]!r} stands twice in one mapping", place, "Keep one of them.")
            keys.add(event.value)
        self._expects_key[-1] = not self._expects_key[-1]


def _build(events: Iterator[yaml.Event], path: Path, lines: dict[Path, int]) -> Any:
    event = next(events)
    lines.setdefault(path, _at(event)[0])
    return _value_of(event, events, path, lines)


def _value_of(event: yaml.Event, events: Iterator[yaml.Event], path: Path, lines: dict[Path, int]) -> Any:
    if isinstance(event, yaml.ScalarEvent):
        return _plain_value(event.value, _at(event)) if event.implicit[0] else event.value
    if isinstance(event, yaml.SequenceStartEvent):
        sequence: list[Any] = []
        for child in events:
            if isinstance(child, yaml.SequenceEndEvent):
                break
            here = (*path, len(sequence))
            lines[here] = _at(child)[0]
            sequence.append(_value_of(child, events, here, lines))
        return sequence
    mapping: dict[str, Any] = {}
    for key in events:
        if isinstance(key, yaml.MappingEndEvent):
            break
        assert isinstance(key, yaml.ScalarEvent)
        here = (*path, key.value)
        lines[here] = _at(key)[0]
        mapping[key.value] = _build(events, here, lines)
    return mapping


def _plain_value(text: str, place: Place) -> Any:
    """Return what the unquoted scalar `text` means in the core schema of YAML 1.2."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        digits = text[2:] if base != 10 else text
        if len(digits) > 24 or not -(2**63) <= (number := int(digits, base)) < 2**63:
            _refuse("an integer that does not fit 64 bits", place, "Quote it if it is text.")
        return number
    if _NOT_FINITE.fullmatch(text):
        _refuse("a number that is not finite", place, "Quote it if it is text.")
    if _FLOAT.fullmatch(text):
        if abs(real := float(text)) == float("inf"):
            _refuse("a number that is not finite", place, "Quote it if it is text.")
        return real
    return text


def _refuse(problem: str, place: Place | None, way_out: str) -> NoReturn:
    where = f"line {place[0]}, column {place[1]}: " if place is not None else ""
    raise BadInput(CODE, f"{where}{problem}.", way_out=way_out)


def _at(event: yaml.Event) -> Place:
    mark = event.start_mark
    return (mark.line + 1, mark.column + 1) if mark is not None else (0, 0)
