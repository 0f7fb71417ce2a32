"""What a credential looks like: the shapes that are refused in manifests and redacted from evidence.

The expressions use only what both `re` and a DFA engine understand (no look-around, no back-references), on bytes or text alike.
Called by shared/documents/experiment/secrets.py and runner/evidence/redaction.py; anything else that looks for credentials uses
the same list.
"""

from typing import Final, NamedTuple

MAX_HEAD_BYTES: Final = 1024


class Shape(NamedTuple):
    """A credential known by its shape: a head of at most 1,024 bytes, then any number of characters of the class `tail`."""

    rule: str
    head: str
    tail: str


SHAPES: Final = (
    Shape("hf-token", r"hf_[A-Za-z0-9]{20}", r"[A-Za-z0-9]"),
    Shape("api-key", r"(?:\b|\\{1,8}[nrtbf])sk-[A-Za-z0-9_-]{20}", r"[A-Za-z0-9_-]"),
    Shape("github-token", r"gh[a-z]_[A-Za-z0-9]{30}", r"[A-Za-z0-9]"),
    Shape("aws-key", r"AKIA[0-9A-Z]{16}", r"[0-9A-Z]"),
    Shape("bearer", r"[Bb][Ee][Aa][Rr][Ee][Rr][ \t]{1,8}[A-Za-z0-9._~+/=-]{16}", r"[A-Za-z0-9._~+/=-]"),
    Shape("jwt", r"eyJ[A-Za-z0-9_-]{8,600}\.eyJ[A-Za-z0-9_-]{8}", r"[A-Za-z0-9_.-]"),
    Shape(
        "private-key",
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[\\nr\n\r]{1,4}Proc-Type: 4,ENCRYPTED[\\nr\n\r]{1,4}DEK-Info: [A-Za-z0-9-]{1,40},[0-9A-Fa-f]{1,64})?",
        r"[A-Za-z0-9+/=\\ \t\n\r]",
    ),
)
