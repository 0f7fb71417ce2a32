"""What a credential looks like: the token shapes that are refused in manifests and redacted from evidence.

The expressions use only what both `re` and a DFA engine understand (no look-around, no back-references), on bytes or text alike.
Called by shared/documents/experiment/secrets.py; anything else that looks for tokens uses the same list.
"""

from typing import Final

TOKENS: Final[dict[str, str]] = {
    "hf_token": r"hf_[A-Za-z0-9]{20,}",
    "sk_key": r"sk-[A-Za-z0-9_-]{20,}",
    "github_token": r"gh[pousr]_[A-Za-z0-9]{20,}",
    "aws_key": r"AKIA[0-9A-Z]{16}",
    "bearer": r"[Bb]earer +[A-Za-z0-9._~+/=-]{16,}",
    "jwt": r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    "private_key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
}
