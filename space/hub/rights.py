"""What a token may do, as the Hub says: the inbox token writes the inbox and nothing else, or it is not used at all."""

from typing import Any, Final

from shared.errors import Refused

WIDE: Final = "HUB_TOKEN_WIDE"
READ: Final = "repo.content.read"
WRITE: Final = "repo.write"


def require_inbox_alone(whoami: Any, inbox: str) -> None:
    """Raise Refused HUB_TOKEN_WIDE unless the token is seen to write the Dataset `inbox` and to reach nothing else."""
    if excess := _excess(whoami, inbox):
        raise Refused(
            WIDE,
            f"the inbox token {excess}",
            field="SEAWALL_INBOX_TOKEN",
            way_out=f"Make a fine-grained token that reads and writes the Dataset {inbox} alone.",
        )


def _excess(whoami: Any, inbox: str) -> str:  # noqa: PLR0911 - a table: one objection a line
    """Return what speaks against the token, empty where nothing does; what cannot be understood does."""
    token = _member(_member(whoami, "auth"), "accessToken")
    fine = _member(token, "fineGrained")
    if _member(token, "role") != "fineGrained" or not isinstance(fine, dict):
        return "reaches all of its account: it is not fine-grained"
    if fine.get("canReadGatedRepos"):
        return "may read gated repositories"
    if fine.get("global"):
        return "has rights on the whole account"
    scoped = fine.get("scoped")
    if not isinstance(scoped, list):
        return "does not say what it reaches"
    for scope in scoped:
        entity, rights = _member(scope, "entity"), _member(scope, "permissions")
        is_inbox = (_member(entity, "type"), _member(entity, "name")) == ("dataset", inbox)
        if rights != [] and not is_inbox:
            return "reaches more than the inbox"
        if not isinstance(rights, list) or set(rights) - {READ, WRITE}:
            return "may do more with the inbox than read and write it"
    return "" if any(WRITE in scope["permissions"] for scope in scoped) else "may not write the inbox"


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None
