"""A Hub on loopback for a test: its server, tokens with rights, and folders of results uploaded into it."""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shared import paths
from shared.documents.status import RunStatus
from shared.documents.status_index import StatusIndex, StatusLine
from tests.doubles.hub.app import Serving
from tests.doubles.hub.faults import Call, Fault
from tests.doubles.hub.identity import READ, WRITE
from tests.doubles.hub.repos import edit

OWNER = "example"
READING, INBOX, WIDE = "hf_reading_canary", "hf_inbox_canary", "hf_wide_canary"
INBOX_NAME, CONTROL = "example/seawall-inbox", "example/seawall-control"


class Hub:
    """The double, served; with a token that reads everything, one for the inbox alone, and one that may do everything."""

    def __init__(self, folder: Path) -> None:
        self._serving = Serving(folder)
        self.address = self._serving.address
        self.state = self._serving.app.state
        self.faults = self._serving.app.faults
        holder = {"user": OWNER, "namespaces": [OWNER]}
        self.state.set_token(READING, {**holder, "role": "read"})
        self.state.set_token(WIDE, {**holder, "role": "write"})
        self.scope(INBOX, {f"datasets/{INBOX_NAME}": [READ, WRITE]})

    def scope(self, token: str, scoped: Mapping[str, list[str]], **more: Any) -> None:
        """Give a fine-grained token these rights."""
        holder = {"user": OWNER, "namespaces": [OWNER], "role": "fineGrained"}
        self.state.set_token(token, {**holder, "scoped": scoped, **more})

    def close(self) -> None:
        """Stop serving."""
        self._serving.close()

    def edit(self, name: str, files: Mapping[str, bytes | None] | None = None, **more: Any) -> str:
        """Put files into a repository, made if need be, and return the commit."""
        packed = {path: None if data is None else base64.b64encode(data).decode() for path, data in (files or {}).items()}
        return edit(self.state, {"name": name, "files": packed, **more}).oid

    def files(self, name: str, kind: str = "datasets") -> dict[str, bytes]:
        """Return what a repository holds now."""
        repo = self.state.repo(kind, name)
        assert repo is not None
        found = self.state.tree(repo, len(self.state.commits(repo)))
        return {path: self.state.data(entry.sha1) or b"" for path, entry in found.items()}

    def commits(self, name: str) -> list[str]:
        """Return the titles of a repository's commits, oldest first."""
        repo = self.state.repo("datasets", name)
        assert repo is not None
        return [commit.title for commit in self.state.commits(repo)]

    def fail(self, route: str, kind: str, nth: int = 1, **arguments: Any) -> Fault:
        """Plant a fault."""
        fault = Fault(route, kind, nth, arguments)
        self.faults.waiting.append(fault)
        return fault

    def heal(self) -> None:
        """Take every fault away."""
        self.faults.waiting.clear()

    def calls(self, word: str = "") -> list[Call]:
        """Return the requests whose line holds `word`."""
        return [call for call in self.faults.calls if word in call.line]


def upload(hub: Hub, root: Path, *, private: bool = False) -> dict[str, str]:
    """Make every results folder below `root` what its Dataset holds, its tables as large files; return the commits by name."""
    commits = {}
    for folder in sorted(path for path in root.glob("*/*") if path.is_dir()):
        name = f"{folder.parent.name}/{folder.name}"
        hub.edit(name, private=private)
        held = hub.files(name)
        found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        found.pop(paths.CURRENT, None)
        changed = {path: data for path, data in found.items() if held.get(path) != data}
        gone = {path: None for path in held if path not in found and path != ".gitattributes"}
        large = [path for path in changed if path.endswith(".parquet")]
        commits[name] = hub.edit(name, {**changed, **gone}, large=large, private=private)
    return commits


def write_status(hub: Hub, documents: Mapping[tuple[str, str], bytes]) -> str:
    """Write the documents of a pass where a Space on the Hub reads them, with their index; return the commit."""
    files: dict[str, bytes | None] = {paths.status_file(kind, name): data for (kind, name), data in documents.items() if data}
    runs = sorted((RunStatus.from_bytes(data) for (kind, _), data in documents.items() if kind == "run"), key=_run_id)
    offers = sorted(name for (kind, name), data in documents.items() if kind == "offer" and data)
    index = StatusIndex(offers=tuple(offers), runs=tuple(StatusLine.of(run) for run in reversed(runs)))
    return hub.edit(CONTROL, {**files, paths.STATUS_INDEX: index.to_bytes()})


def _run_id(status: RunStatus) -> str:
    return status.run_id
