"""The part of a Dockerfile that a local sandbox carries out: WORKDIR, COPY, local ADD, ENV, ARG and RUN.

FROM is recorded, not used: the host's `/usr` is the image. CMD, LABEL, EXPOSE and MAINTAINER change nothing under Harbor (it
gives its own command) and are passed over. Anything else is `TASK_UNSUPPORTED`, with its line, before anything is started.
Pure: bytes in, instructions out. Called by `local_sandbox.py` and by the harness check.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from shared.errors import BadInput

_PASSED_OVER: Final = frozenset({"CMD", "LABEL", "EXPOSE", "MAINTAINER"})
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_REFERENCE: Final = re.compile(r"\\\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::([-+])([^}]*))?\}|\$([A-Za-z_][A-Za-z0-9_]*)")
_FLAG: Final = re.compile(r"--([a-z-]+)(?:=(\S+))?\s+")
_HEREDOC: Final = re.compile(r"<<-?\s*[\"']?[A-Za-z_]")


class Workdir(NamedTuple):
    """Later paths and commands start from here."""

    path: str


class Copy(NamedTuple):
    """Sources of the build folder go to a place inside; a local archive is unpacked if `unpacks`."""

    sources: tuple[str, ...]
    target: str
    mode: str | None
    unpacks: bool


class Env(NamedTuple):
    """Variables for the build and, unless `is_argument`, for every command after it."""

    pairs: tuple[tuple[str, str], ...]
    is_argument: bool


class Run(NamedTuple):
    """A command line of the build."""

    command: tuple[str, ...]


type Instruction = Workdir | Copy | Env | Run


class Dockerfile(NamedTuple):
    """What a Dockerfile asks of the sandbox, and the image that it names."""

    base: str
    instructions: tuple[Instruction, ...]


def parse_dockerfile(text: str) -> Dockerfile:
    """Return what `text` asks for, or raise TASK_UNSUPPORTED with the first line that a local sandbox cannot carry out."""
    base, instructions = "", list[Instruction]()
    for number, line in _logical_lines(text):
        word, _, rest = line.partition(" ")
        word, rest = word.upper(), rest.strip()
        if word == "FROM":
            if base:
                raise _unsupported(number, "a second FROM (a build in stages)")
            base = _base_image(rest)
        elif word == "USER":
            if rest not in {"root", "0", "root:root", "0:0"}:
                raise _unsupported(number, f"USER {rest}")
        elif word not in _PASSED_OVER:
            instructions.append(_instruction(number, word, rest))
    return Dockerfile(base, tuple(instructions))


def expand(text: str, variables: Mapping[str, str]) -> str:
    """Return `text` with `$NAME`, `${NAME}`, `${NAME:-word}` and `${NAME:+word}` replaced from `variables`."""

    def value(match: re.Match[str]) -> str:
        if match.group(0) == "\\$":
            return "$"
        name, operator, word = match.group(1) or match.group(4), match.group(2), match.group(3) or ""
        current = variables.get(name, "")
        if operator == "-":
            return current or word
        if operator == "+":
            return word if current else ""
        return current

    return _REFERENCE.sub(value, text)


def _instruction(number: int, word: str, rest: str) -> Instruction:
    if word == "WORKDIR" and rest:
        return Workdir(_unquoted(rest))
    if word == "ENV":
        return Env(_pairs(number, rest), is_argument=False)
    if word == "ARG":
        name, has_default, default = rest.partition("=")
        return Env(((name.strip(), _unquoted(default)),) if has_default else (), is_argument=True)
    if word in {"COPY", "ADD"}:
        return _copy(number, word, rest)
    if word == "RUN":
        return _run(number, rest)
    raise _unsupported(number, word)


def _copy(number: int, word: str, rest: str) -> Copy:
    flags, rest = _flags(rest)
    if unknown := set(flags) - {"chmod", "chown", "link"}:
        raise _unsupported(number, f"{word} --{min(unknown)}")
    if flags.get("chown", "root").split(":")[0] not in {"root", "0"}:
        raise _unsupported(number, f"{word} --chown={flags['chown']}")
    if _HEREDOC.search(rest):
        raise _unsupported(number, f"{word} with a here-document")
    words = _json_words(rest) or shlex.split(rest)
    if len(words) < 2:
        raise _unsupported(number, f"{word} without source and target")
    sources, target = tuple(words[:-1]), words[-1]
    if any(re.match(r"[a-z+]+://|git@", source) for source in sources):
        raise _unsupported(number, f"{word} from a remote address")
    return Copy(sources, target, flags.get("chmod"), unpacks=word == "ADD")


def _run(number: int, rest: str) -> Run:
    flags, rest = _flags(rest)
    if unknown := {name for name, value in flags.items() if name != "mount" or not (value or "").startswith("type=cache")}:
        raise _unsupported(number, f"RUN --{min(unknown)}")
    if _HEREDOC.match(rest) and "\n" in rest:
        return Run(("/bin/sh", "-c", rest.split("\n", 1)[1].rsplit("\n", 1)[0]))
    words = _json_words(rest)
    return Run(tuple(words) if words else ("/bin/sh", "-c", rest))


def _pairs(number: int, rest: str) -> tuple[tuple[str, str], ...]:
    first, _, tail = rest.partition(" ")
    if "=" not in first:
        return ((first, tail.strip()),)
    pairs = []
    for word in shlex.split(rest):
        name, _, value = word.partition("=")
        if not _NAME.fullmatch(name):
            raise _unsupported(number, f"ENV {name}")
        pairs.append((name, value))
    return tuple(pairs)


def _flags(rest: str) -> tuple[dict[str, str], str]:
    flags = dict[str, str]()
    while match := _FLAG.match(rest):
        flags[match.group(1)] = match.group(2) or ""
        rest = rest[match.end() :]
    return flags, rest


def _json_words(rest: str) -> list[str]:
    if not rest.startswith("["):
        return []
    try:
        words = json.loads(rest)
    except ValueError:
        return []
    return [str(word) for word in words] if isinstance(words, list) else []


def _base_image(rest: str) -> str:
    words = [word for word in rest.split() if not word.startswith("--")]
    return words[0] if words else "unnamed"


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'" else text


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each instruction with the number of its first line: comments dropped, continuations joined, here-documents kept."""
    lines = text.splitlines()
    index = 0
    while index < len(lines):
        start, pieces, is_open = index + 1, list[str](), True
        while is_open and index < len(lines):
            line = lines[index]
            index += 1
            if line.lstrip().startswith("#") or (pieces and not line.strip()):
                continue
            is_open = line.rstrip().endswith("\\")
            pieces.append(line.rstrip()[:-1].strip() if is_open else line.strip())
        joined = " ".join(piece for piece in pieces if piece)
        if joined.upper().startswith("RUN ") and (end := _heredoc_end(joined)):
            body = list[str]()
            while index < len(lines) and lines[index].strip() != end:
                body.append(lines[index])
                index += 1
            index += 1
            joined = "\n".join([joined, *body, end])
        if joined:
            yield start, joined


def _heredoc_end(line: str) -> str | None:
    match = re.match(r"RUN\s+<<-?\s*[\"']?([A-Za-z_]\w*)[\"']?\s*$", line, re.IGNORECASE)
    return match.group(1) if match else None


def _unsupported(number: int, what: str) -> BadInput:
    return BadInput(
        "TASK_UNSUPPORTED",
        f"a local sandbox carries out WORKDIR, COPY, local ADD, ENV, ARG and RUN, not {what}",
        field=f"environment/Dockerfile:{number}",
        way_out="Run this task in a sandbox that builds images, or write its environment with those instructions.",
    )
