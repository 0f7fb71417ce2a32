"""The Hub double is what the real client expects, knows nothing of the product, and loses nothing when it is killed."""

import ast
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, set_client_factory
from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, RepositoryNotFoundError, RevisionNotFoundError
from huggingface_hub.utils._http import default_client_factory

from space.hub import doorway
from tests.builders.hub import INBOX, INBOX_NAME, READING, WIDE, Hub

ROOT = Path(__file__).parents[3]
DOUBLE = ROOT / "tests/doubles/hub"


@pytest.fixture(autouse=True)
def plain_client(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The client as it comes, without our doorway, which the next test that needs it opens again."""
    monkeypatch.setattr(doorway, "_open", {})
    set_client_factory(default_client_factory)
    yield
    set_client_factory(doorway._client)


def test_the_double_imports_neither_product_nor_client() -> None:
    """So that it cannot share their mistakes; and it stays small."""
    lines = 0
    for file in DOUBLE.glob("*.py"):
        text = file.read_text(encoding="utf-8")
        lines += len(text.splitlines())
        for node in ast.walk(ast.parse(text)):
            named = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            named += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in named:
                assert name.split(".")[0] not in {"shared", "runner", "space", "huggingface_hub", "httpx2", "hf_xet"}, file
                assert not name.startswith("tests.") or name.startswith("tests.doubles.hub"), file
    assert lines <= 900


def test_the_real_client_makes_reads_and_changes_a_dataset(hub: Hub, tmp_path: Path) -> None:
    """Create, commit, list, look, download and delete, as its own models read the answers."""
    api = HfApi(endpoint=hub.address, token=WIDE)
    name = "example/made"
    api.create_repo(name, repo_type="dataset", private=True)
    first = api.dataset_info(name)
    assert (first.private, len(str(first.sha))) == (True, 40)
    adds = [CommitOperationAdd(f"a/{n}.json", b"%d" % n) for n in range(1_005)]
    made = api.create_commit(name, adds, commit_message="many", repo_type="dataset", parent_commit=first.sha)
    listed = list(api.list_repo_tree(name, "a", repo_type="dataset", revision=made.oid))
    assert len({each.path for each in listed}) == 1_005
    (info,) = api.get_paths_info(name, ["a/7.json", "none"], repo_type="dataset", expand=True)
    assert (info.path, info.last_commit.oid) == ("a/7.json", made.oid)  # type: ignore[union-attr]
    path = api.hf_hub_download(name, "a/7.json", repo_type="dataset", revision=made.oid, cache_dir=tmp_path)
    assert Path(path).read_bytes() == b"7"
    api.create_commit(name, [CommitOperationDelete("a/7.json")], commit_message="less", repo_type="dataset")
    assert not api.get_paths_info(name, ["a/7.json"], repo_type="dataset")
    assert api.get_paths_info(name, ["a/7.json"], repo_type="dataset", revision=made.oid)


def test_what_is_not_there_is_said_as_the_client_knows_it(hub: Hub) -> None:
    """Each absence has its own error."""
    hub.edit("example/some", {"x": b"1"}, private=False)
    api = HfApi(endpoint=hub.address, token=False)
    with pytest.raises(RepositoryNotFoundError):
        api.dataset_info("example/none")
    with pytest.raises(RevisionNotFoundError):
        api.dataset_info("example/some", revision="0" * 40)
    with pytest.raises(EntryNotFoundError):
        list(api.list_repo_tree("example/some", "none", repo_type="dataset"))


def test_of_racing_commits_on_one_parent_one_lands(hub: Hub) -> None:
    """The others are told 412; who reads again lands: twelve of twelve."""
    hub.edit("example/raced")
    api = HfApi(endpoint=hub.address, token=WIDE)

    def land(number: int) -> int:
        for tries in range(100):
            head = api.dataset_info("example/raced").sha
            add = CommitOperationAdd(f"{number}", b"x")
            try:
                api.create_commit("example/raced", [add], commit_message="race", repo_type="dataset", parent_commit=head)
            except HfHubHTTPError as error:
                refused.add(error.response.status_code)
                continue
            return tries
        raise AssertionError

    refused: set[int] = set()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(land, range(12)))
    assert (len(hub.files("example/raced")), refused <= {412}) == (13, True)


@pytest.mark.parametrize("token", [INBOX, READING, ""])
def test_a_token_does_what_its_rights_say(hub: Hub, token: str) -> None:
    """Reading one writes nothing; the inbox's writes the inbox; nobody's sees nothing private."""
    for name in (INBOX_NAME, "example/other"):
        hub.edit(name)
    api = HfApi(endpoint=hub.address, token=token or False)
    found = []
    for name in (INBOX_NAME, "example/other"):
        try:
            api.create_commit(name, [CommitOperationAdd("f", b"x")], commit_message="try", repo_type="dataset")
            found.append("written")
        except HfHubHTTPError as error:
            found.append(str(error.response.status_code))
    assert found == {INBOX: ["written", "403"], READING: ["403", "403"], "": ["401", "401"]}[token]


def test_a_killed_double_has_every_commit_that_it_acknowledged(tmp_path: Path) -> None:
    """Its state is on disk before its answer is."""
    told, process = _start(tmp_path)
    api = HfApi(endpoint=told["HF_ENDPOINT"], token=told["SEAWALL_TOKEN_CONTROL"])
    api.create_repo("example/kept", repo_type="dataset")
    for number in range(5):
        api.create_commit("example/kept", [CommitOperationAdd(str(number), b"x")], commit_message="one", repo_type="dataset")
    os.kill(process.pid, signal.SIGKILL)
    process.wait(10)
    told, process = _start(tmp_path)
    again = HfApi(endpoint=told["HF_ENDPOINT"], token=told["SEAWALL_TOKEN_CONTROL"])
    found = {each.path for each in again.list_repo_tree("example/kept", repo_type="dataset")}
    process.terminate()
    process.wait(10)
    assert found == {".gitattributes", *map(str, range(5))}


def _start(root: Path) -> tuple[dict[str, str], subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.doubles.hub", "--root", str(root / "hub"), "--print-env"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    return dict(process.stdout.readline().strip().split("=", 1) for _ in range(4)), process
