"""What a store answers to a write: applied, refused because something else is there, or nobody knows.

`Unknown` is never taken for either of the others: the caller reads what the store holds and only then decides.
"""

from dataclasses import dataclass

from shared.digests import Digest


@dataclass(frozen=True)
class Applied:
    """The bytes are there, by the store's word; `is_new` is false when equal bytes were there before."""

    sha256: Digest
    size: int
    is_new: bool


@dataclass(frozen=True)
class Conflict:
    """Other bytes stand at the path; nothing was written."""

    path: str
    sha256: Digest


@dataclass(frozen=True)
class Unknown:
    """The write may or may not have been applied."""

    path: str
    because: str
    is_full: bool = False
    """The disk was full; another try helps nobody before there is room."""


type PutAnswer = Applied | Conflict | Unknown
