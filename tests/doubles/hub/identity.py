"""Who asks, and what the token lets them do: account-wide roles, or rights on named repositories alone.

A token is {user, role, namespaces, scoped}: role `read` and `write` reach every repository of the namespaces, `fineGrained` those
in `scoped`, {"datasets/owner/name": ["repo.content.read", "repo.write"]}. What a token may not see is hidden as the Hub hides it.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse

from tests.doubles.hub.state import Repo, State
from tests.doubles.hub.wire import Answer, forbidden, not_found, refusal

READ, WRITE = "repo.content.read", "repo.write"


def bearer(state: State, request: Request) -> dict[str, Any] | None:
    """Return what the request's token may do, None without one; a token that is none is answered 401."""
    value = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
    if not value:
        return None
    said = state.token(value)
    if said is None:
        raise Answer(refusal(401, "Invalid credentials in Authorization header"))
    return said


def whoami(state: State, request: Request) -> JSONResponse:
    """Answer who holds the token and what it may do."""
    said = bearer(state, request)
    if said is None:
        raise Answer(refusal(401, "Invalid username or password."))
    token: dict[str, Any] = {"displayName": "double", "role": said["role"], "createdAt": "2026-01-01T00:00:00.000Z"}
    if said["role"] == "fineGrained":
        scoped = [_scope(name, rights) for name, rights in said.get("scoped", {}).items()]
        token["fineGrained"] = {
            "canReadGatedRepos": bool(said.get("gated")),
            "global": said.get("global", []),
            "scoped": scoped,
        }
    orgs = [{"type": "org", "id": f"org-{name}", "name": name} for name in said["namespaces"] if name != said["user"]]
    who = {"type": "user", "id": f"user-{said['user']}", "name": said["user"], "fullname": said["user"], "orgs": orgs}
    return JSONResponse({**who, "auth": {"type": "access_token", "accessToken": token}})


def require_read(said: dict[str, Any] | None, repo: Repo | None) -> Repo:
    """Return the repository if the holder may read it, else answer as if it were not there, or that it is not allowed."""
    if repo is not None and (not repo.private or READ in _rights(said, repo)):
        return repo
    if said is None:
        raise Answer(refusal(401, "Invalid username or password.", "RepoNotFound"))
    if repo is not None and _owner(repo) in said["namespaces"]:
        raise forbidden()
    raise not_found("Repo")


def require_write(said: dict[str, Any] | None, repo: Repo | None) -> Repo:
    """Return the repository if the holder may write it."""
    found = require_read(said, repo)
    if WRITE not in _rights(said, found):
        raise forbidden()
    return found


def require_namespace(said: dict[str, Any] | None, owner: str) -> None:
    """Answer 403 unless the holder may make repositories there."""
    if said is None or said["role"] != "write" or owner not in said["namespaces"]:
        raise forbidden()


def _rights(said: dict[str, Any] | None, repo: Repo) -> set[str]:
    if said is None:
        return set()
    if said["role"] == "fineGrained":
        return set(said.get("scoped", {}).get(f"{repo.kind}/{repo.name}", []))
    rights = {READ, WRITE} if said["role"] == "write" else {READ}
    return rights if _owner(repo) in said["namespaces"] else set()


def _owner(repo: Repo) -> str:
    return repo.name.partition("/")[0]


def _scope(name: str, rights: list[str]) -> dict[str, Any]:
    kind, _, repo = name.partition("/")
    return {"entity": {"_id": f"id-{name}", "type": kind.removesuffix("s"), "name": repo}, "permissions": rights}
