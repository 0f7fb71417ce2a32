"""Repositories: create, info, preupload, commit, tree, paths-info, resolve; reads by any revision, writes on `main` alone."""

import base64
import json
from typing import Any, Final
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.doubles.hub.identity import bearer, require_namespace, require_read, require_write
from tests.doubles.hub.state import Change, Commit, Entry, Moved, Repo, State
from tests.doubles.hub.wire import EXPANDED_PAGE, PAGE, address, not_found, paged, refusal, window

KINDS: Final = frozenset({"models", "datasets", "spaces"})
REGULAR_MOST: Final = 5 << 20


async def create(state: State, request: Request) -> Response:
    """Answer `POST /api/repos/create`."""
    said, asked = bearer(state, request), json.loads(await request.body())
    owner = asked.get("organization") or (said or {}).get("user", "")
    require_namespace(said, owner)
    kind, name = f"{asked.get('type', 'model')}s", f"{owner}/{asked['name']}"
    if state.create(kind, name, private=asked.get("visibility") == "private") is None:
        return refusal(409, "You already created this repo", "", url=f"{address(request)}/{kind}/{name}")
    return JSONResponse({"url": f"{address(request)}/{'' if kind == 'models' else kind + '/'}{name}", "name": name})


async def of_repo(  # noqa: PLR0911 - a routing table: one answer a line
    state: State, request: Request, kind: str, name: str, rest: list[str]
) -> Response:
    """Answer `/api/<kind>/<owner>/<name>/..`."""
    said, repo = bearer(state, request), state.repo(kind, name)
    match request.method, rest:
        case "GET", []:
            return _info(state, request, require_read(said, repo), "main")
        case "GET", ["revision", revision]:
            return _info(state, request, require_read(said, repo), revision)
        case "GET", ["tree", revision, *folder]:
            return _tree(state, request, require_read(said, repo), revision, "/".join(folder))
        case "POST", ["paths-info", revision]:
            return await _paths_info(state, request, require_read(said, repo), revision)
        case "POST", ["preupload", revision]:
            return await _preupload(state, request, require_write(said, repo), revision)
        case "POST", ["commit", "main"]:
            return await _commit(state, request, require_write(said, repo))
    require_write(said, repo)
    return refusal(404, "This route is none of the double's")


def resolve(state: State, request: Request, named: tuple[str, str], revision: str, path: str) -> Response:
    """Answer a file: bytes of a small one, the way to a large one."""
    repo = require_read(bearer(state, request), state.repo(*named))
    commit = _at(state, repo, revision)
    entry = state.tree(repo, commit.serial).get(path)
    if entry is None:
        raise not_found("Entry")
    etag = entry.sha256 if entry.large else entry.sha1
    headers = {"X-Repo-Commit": commit.oid, "ETag": f'"{etag}"', "X-Linked-Size": str(entry.size), "X-Linked-ETag": f'"{etag}"'}
    if entry.large:
        return Response(
            status_code=302, headers={**headers, "Location": f"{address(request)}/_large/{entry.sha256}?signed=canary"}
        )
    return window(request, state.data(entry.sha1) or b"", headers)


def large(state: State, request: Request, sha256: str) -> Response:
    """Answer the bytes that a signed address names."""
    data = state.data(sha256)
    return refusal(404, "no such object") if data is None else window(request, data, {"ETag": f'"{sha256}"'})


def edit(state: State, asked: dict[str, Any]) -> Commit:
    """Put files into a repository past every check, as a test or a person with a browser would."""
    kind, name = asked.get("kind", "datasets"), asked["name"]
    state.create(kind, name, private=bool(asked.get("private", True)))
    repo = state.repo(kind, name)
    assert repo is not None
    if "private" in asked:
        state.set_private(repo, private=asked["private"])
    changes = [
        Change(path, None if data is None else base64.b64decode(data), path in asked.get("large", ()))
        for path, data in asked.get("files", {}).items()
    ]
    return state.commit(repo, asked.get("title", "edited"), changes) if changes else state.commits(repo)[-1]


def _at(state: State, repo: Repo, revision: str) -> Commit:
    commits = state.commits(repo)
    if revision == "main":
        return commits[-1]
    found = [commit for commit in commits if len(revision) >= 7 and commit.oid.startswith(revision)]
    if not found:
        raise not_found("Revision")
    return found[-1]


def _info(state: State, request: Request, repo: Repo, revision: str) -> Response:
    commit = _at(state, repo, revision)
    behind = int(request.scope.get("stale", 0))
    if behind:
        commit = state.commits(repo)[max(0, commit.serial - 1 - behind)]
    tree = state.tree(repo, commit.serial)
    said = {
        "_id": f"id-{repo.id}",
        "id": repo.name,
        "author": repo.name.partition("/")[0],
        "sha": commit.oid,
        "lastModified": commit.made,
        "createdAt": repo.created,
        "private": repo.private and not request.scope.get("public", False),
        "gated": False,
        "disabled": False,
        "downloads": 0,
        "likes": 0,
        "tags": [],
        "siblings": [{"rfilename": path} for path in tree],
    }
    return JSONResponse({**said, "sdk": "gradio"} if repo.kind == "spaces" else said)


def _tree(state: State, request: Request, repo: Repo, revision: str, folder: str) -> Response:
    commit = _at(state, repo, revision)
    inside = f"{folder}/" if folder else ""
    entries = [entry for path, entry in state.tree(repo, commit.serial).items() if path.startswith(inside)]
    if folder and not entries:
        raise not_found("Entry")
    is_expanded = request.query_params.get("expand", "").lower() == "true"
    is_recursive = request.query_params.get("recursive", "").lower() == "true"
    commits = state.commits(repo)
    listed, folders = [], set()
    for entry in entries:
        below = entry.path.removeprefix(inside).split("/")[:-1]
        folders |= {inside + "/".join(below[: deep + 1]) for deep in range(len(below) if is_recursive else min(len(below), 1))}
        if is_recursive or not below:
            listed.append(_file(entry, commits if is_expanded else None))
    named = [{"type": "directory", "oid": "0" * 40, "size": 0, "path": path} for path in sorted(folders)]
    return paged(request, [*named, *listed], EXPANDED_PAGE if is_expanded else PAGE)


async def _paths_info(state: State, request: Request, repo: Repo, revision: str) -> Response:
    asked = parse_qs((await request.body()).decode())
    commit, commits = _at(state, repo, revision), state.commits(repo)
    is_expanded = asked.get("expand", [""])[0].lower() == "true"
    tree = state.tree(repo, commit.serial)
    found = [tree[path] for path in asked.get("paths", []) if path in tree]
    return JSONResponse([_file(entry, commits if is_expanded else None) for entry in found])


async def _preupload(state: State, request: Request, repo: Repo, revision: str) -> Response:
    tree = state.tree(repo, _at(state, repo, revision).serial)
    answers = []
    for file in json.loads(await request.body())["files"]:
        is_large = file["size"] > REGULAR_MOST or file["path"].endswith(".parquet")
        known = tree.get(file["path"])
        mode = "lfs" if is_large else "regular"
        answers.append({"path": file["path"], "uploadMode": mode, "shouldIgnore": False, "oid": known.sha1 if known else None})
    return JSONResponse({"files": answers})


async def _commit(state: State, request: Request, repo: Repo) -> Response:
    lines = [json.loads(line) for line in (await request.body()).splitlines()]
    header, operations = lines[0]["value"], lines[1:]
    tree = state.tree(repo, state.commits(repo)[-1].serial)
    changes: list[Change] = []
    for line in operations:
        path = line["value"]["path"]
        match line["key"]:
            case "file":
                changes.append(Change(path, base64.b64decode(line["value"]["content"])))
            case "deletedFile" if path in tree:
                changes.append(Change(path, None))
            case "deletedFolder":
                changes += [Change(each, None) for each in tree if each.startswith(path.rstrip("/") + "/")]
            case _:
                return refusal(400, f"A file with this name doesn't exist, or is no regular file: {path}")
    try:
        made = state.commit(repo, header["summary"], changes, header.get("parentCommit"))
    except Moved:
        return refusal(412, "A commit has happened since. Please refresh and try again.")
    url = f"{address(request)}/{repo.kind}/{repo.name}/commit/{made.oid}"
    return JSONResponse({"success": True, "commitOid": made.oid, "commitUrl": url, "hookOutput": ""})


def _file(entry: Entry, commits: list[Commit] | None) -> dict[str, Any]:
    said: dict[str, Any] = {"type": "file", "oid": entry.sha1, "size": entry.size, "path": entry.path}
    if entry.large:
        said["lfs"] = {"oid": entry.sha256, "size": entry.size, "pointerSize": 134}
    if commits is not None:
        last = commits[entry.serial - 1]
        said["lastCommit"] = {"id": last.oid, "title": last.title, "date": last.made}
    return said
