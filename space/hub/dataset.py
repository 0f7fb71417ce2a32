"""A Dataset on the Hub: its head, and at a commit its folders and files; one commit on its branch. Never reads by branch.

Every call is one request (a long folder: one a page); nothing is repeated or cached here. Reads raise HubFault.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from huggingface_hub import CommitOperationAdd, HfApi, hf_hub_url
from huggingface_hub.hf_api import RepoFile
from huggingface_hub.utils import get_session, hf_raise_for_status  # type: ignore[attr-defined]  # exported without __all__

from shared.digests import sha256
from space.hub.answers import (
    ABSENT,
    ERRORS,
    FORBIDDEN,
    SHAPE,
    SIZE,
    Applied,
    CommitAnswer,
    HubFault,
    Unknown,
    answer_of,
    fault_of,
)
from space.hub.doorway import READ_S, open_door
from space.hub.place import HubPlace

_KIND: Final = "dataset"
_CHUNK: Final = 1 << 18
_SHA_LENGTH: Final = 40


class Seen(NamedTuple):
    """The head of a Dataset, and who may read it."""

    sha: str
    is_private: bool


class Listed(NamedTuple):
    """A file at a commit: what git names its bytes, and the commit that last changed it where that was asked."""

    path: str
    size: int
    blob_id: str
    commit: str = ""


class HubDataset:
    """The Dataset at `place`."""

    def __init__(self, place: HubPlace, read_s: float = READ_S) -> None:
        open_door(place.endpoint, read_s)
        self.place: Final = place
        self._read_s: Final = read_s
        self._api: Final = HfApi(endpoint=place.endpoint, token=place.token or False, library_name="seawall")

    def beside(self, name: str) -> "HubDataset":
        """Return another Dataset of the same Hub, reached by the same token."""
        return HubDataset(HubPlace(name, self.place.endpoint, self.place.token), self._read_s)

    def head(self) -> Seen:
        """Return where the branch is now."""
        name = self.place.name

        def ask() -> Seen:
            found = self._api.dataset_info(name, expand=["sha", "private", "gated"])
            if not is_sha(found.sha) or not isinstance(found.private, bool):
                raise TypeError
            return Seen(str(found.sha), found.private or bool(found.gated))

        return _read(ask, name)

    def folder(self, path: str, sha: str) -> dict[str, Listed]:
        """Return the files directly in a folder at `sha`, by path; none where there is no such folder."""
        name = self.place.name
        try:
            return _read(lambda: _files(self._api.list_repo_tree(name, path, revision=sha, repo_type=_KIND)), f"{name}/{path}")
        except HubFault as fault:
            if fault.code != ABSENT:
                raise
            return {}

    def changed(self, paths: Sequence[str], sha: str) -> dict[str, Listed]:
        """Return those of `paths` that are there at `sha`, each with the commit that last changed it."""
        name = self.place.name
        return _read(
            lambda: _files(self._api.get_paths_info(name, list(paths), expand=True, revision=sha, repo_type=_KIND)), name
        )

    def read(self, path: str, sha: str, most: int) -> bytes:
        """Return a file's bytes at `sha`, checked against the name that the Hub gives them; HubFault beyond `most` bytes."""
        read, what = bytearray(), f"{self.place.name}/{path}"
        with self._asked(path, sha) as response:
            for chunk in response.iter_bytes(_CHUNK):
                read += chunk
                if len(read) > most:
                    raise HubFault(SIZE, f"{what} has more than {most} bytes")
            first = response.history[0] if response.history else response
            named = (first.headers.get("x-linked-etag") or first.headers.get("etag", "")).removeprefix("W/").strip('"')
        data = bytes(read)
        made = {_SHA_LENGTH: blob_id, 2 * 32: sha256}.get(len(named))
        if made is not None and made(data) != named:
            raise HubFault(SHAPE, f"{what} is not what the Hub says that it is")
        return data

    @contextmanager
    def opened(self, path: str, sha: str) -> Iterator[Iterator[bytes]]:
        """Yield the chunks of a file at `sha`; HubFault also where they end early."""
        with self._asked(path, sha) as response:
            yield response.iter_bytes(_CHUNK)

    @contextmanager
    def _asked(self, path: str, sha: str) -> Iterator[Any]:
        place = self.place
        url = hf_hub_url(place.name, path, repo_type=_KIND, revision=sha, endpoint=place.endpoint)
        headers = {"accept-encoding": "identity", "user-agent": "seawall"}
        if place.token:
            headers["authorization"] = f"Bearer {place.token}"
        try:
            with get_session().stream("GET", url, headers=headers) as response:
                hf_raise_for_status(response)
                yield response
        except ERRORS as error:
            raise fault_of(error, f"{place.name}/{path}") from None

    def commit(self, files: Mapping[str, bytes], title: str, parent: str) -> CommitAnswer:
        """Add `files` in one commit on top of `parent`; raise HubFault where it was refused.

        After Applied the files have to be read at its commit: the client answers without asking where nothing would change.
        """
        operations = [CommitOperationAdd(path_in_repo=path, path_or_fileobj=data) for path, data in files.items()]
        try:
            made = self._api.create_commit(
                self.place.name, operations, commit_message=title, parent_commit=parent, repo_type=_KIND
            )
        except ERRORS as error:
            return answer_of(error, self.place.name)
        return Applied(made.oid) if is_sha(made.oid) and made.oid != parent else Unknown()

    def whoami(self) -> Any:
        """Return what the Hub says of the token."""
        return _read(self._api.whoami, "the token")


def is_space_public(endpoint: str, name: str, read_s: float = READ_S) -> bool:
    """Tell whether anybody may see the Space `name`: asked as somebody without a token."""
    open_door(endpoint, read_s)
    api = HfApi(endpoint=endpoint, token=False, library_name="seawall")
    try:
        return _read(lambda: api.space_info(name).private is not True, f"the Space {name}")
    except HubFault as fault:
        if fault.code in {ABSENT, FORBIDDEN}:
            return False
        raise


def is_sha(text: object) -> bool:
    """Tell whether `text` names a commit in full."""
    return isinstance(text, str) and len(text) == _SHA_LENGTH and not set(text) - set("0123456789abcdef")


def blob_id(data: bytes) -> str:
    """Return what git names these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _files(found: Any) -> dict[str, Listed]:
    listed = {}
    for each in found:
        if isinstance(each, RepoFile):
            commit = each.last_commit.oid if each.last_commit is not None else ""
            listed[each.path] = Listed(each.path, each.size, each.blob_id, commit)
    return listed


def _read[Value](ask: Callable[[], Value], what: str) -> Value:
    try:
        return ask()
    except ERRORS as error:
        raise fault_of(error, what) from None
