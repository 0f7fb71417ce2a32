"""The tools over MCP, in the environment that a Space installs: exactly ten, described, none that writes; and their answers."""

import json
import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from space.exports.columns import objects_of
from space.listings.listing import read_whole
from space.readers.folder import FolderSource
from space.readers.mirror import Mirror
from space.readers.refresh import Refresh
from space.tools import NAMES, Tools
from tests.space.exports.views import views_of

ROOT = Path(__file__).parents[2]
SPACE = ROOT / ".venv-space/bin/python"


@pytest.fixture(scope="module")
def tools(works: Path) -> Iterator[Tools]:
    """The tools over the folder `works`."""
    refresh = Refresh(FolderSource(works), memory_mib=256, clock=lambda: 0.0)
    refresh.refresh()
    yield Tools(refresh)
    refresh.close()


def test_every_public_method_is_a_tool() -> None:
    """What is offered is what is listed, in the order of the documents."""
    assert [name for name in vars(Tools) if not name.startswith("_")] == list(NAMES)


@pytest.mark.parametrize("name", ["leaderboard", "failures", "trainings", "releases"])
def test_a_tool_gives_the_rows_of_its_list(name: str, tools: Tools, works_mirror: Mirror) -> None:
    """The same rows in the same order as the page, the API and the files, at most 200."""
    listing, view = next(views_of(name, works_mirror))
    answer = json.loads(getattr(tools, name)())
    assert answer["rows"] == objects_of(read_whole(listing, view, works_mirror))[:200]
    assert answer["mirror"] == works_mirror.identity


def test_one_cell_and_its_provenance(tools: Tools) -> None:
    """A cell is one row; where its score comes from is one document."""
    cell = json.loads(tools.cells(model="example/coral-7b"))["rows"][0]
    assert json.loads(tools.cell(cell["cell_id"]))["rows"] == [cell]
    assert json.loads(tools.provenance(cell["cell_id"]))["rows"][0]["evidence"]["cell_id"] == cell["cell_id"]


def test_the_choice_names_a_cell_for_each_question(tools: Tools) -> None:
    """Best, cheapest and fastest are among those that are not told apart; the reference agent is nobody's choice."""
    choice = json.loads(tools.choose(benchmark="harbour-works"))
    among = {row["cell_id"] for row in choice["not_told_apart_from_the_best"]}
    assert {choice[name]["cell_id"] for name in ("best", "cheapest", "fastest")} <= among
    assert "oracle" not in {row["agent_name"] for row in choice["not_told_apart_from_the_best"]}
    named = [row for row in choice["not_told_apart_from_the_best"] if row["cost_per_trial_usd_micros"] is not None]
    assert choice["cheapest"] == min(named, key=lambda row: row["cost_per_trial_usd_micros"])


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("cell", {"cell_id": "../mirror"}, "view.not_published"),
        ("cell", {"cell_id": "cell-unknown"}, "view.not_published"),
        ("provenance", {"cell_id": "x" * 5_000}, "view.not_published"),
        ("leaderboard", {"sort": "score; DROP TABLE cell"}, "query.invalid"),
        ("leaderboard", {"page": -1}, "query.invalid"),
        ("leaderboard", {"benchmark": "x" * 5_000}, "query.too_long"),
        ("compare_cells", {"cell_ids": "cell-a"}, "view.not_published"),
        ("choose", {"benchmark": "no-such"}, "view.not_published"),
    ],
)
def test_a_wrong_call_is_told_what_is_wrong(name: str, arguments: dict[str, Any], code: str, tools: Tools) -> None:
    """An error document with a code; no exception reaches the server."""
    assert json.loads(getattr(tools, name)(**arguments))["error"]["code"] == code


@pytest.fixture(scope="module")
def mcp_server(works: Path) -> Iterator[str]:
    """The address of the app as a Space runs it."""
    if not SPACE.exists():
        if os.environ.get("CI"):
            pytest.fail(".venv-space is missing; run `make setup`")
        pytest.skip(".venv-space is missing; run `make setup`")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = {"PORT": str(port), "SEAWALL_HOST": "127.0.0.1", "SEAWALL_SOURCE": f"folder:{works}", "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen([str(SPACE), "app.py"], cwd=ROOT, env={**os.environ, **own})
    try:
        assert _is_ready(f"http://127.0.0.1:{port}/readyz", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def _is_ready(address: str, process: "subprocess.Popen[bytes]") -> bool:
    for _ in range(480):
        if process.poll() is not None:
            return False
        try:
            if httpx.get(address, timeout=5).json()["state"] == "ready":
                return True
        except httpx.HTTPError:
            pass
        threading.Event().wait(0.25)
    return False


def ask(server: str, method: str, **parameters: Any) -> dict[str, Any]:
    """Return the result of one call over MCP."""
    headers = {"accept": "application/json, text/event-stream"}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
    found = httpx.post(f"{server}/gradio_api/mcp", json=body, headers=headers, timeout=60)
    assert found.status_code == 200
    answer: dict[str, Any] = json.loads(found.text.split("data: ", 1)[1])["result"]
    return answer


def test_the_server_offers_exactly_the_tools(mcp_server: str) -> None:
    """No callback of a page is a tool; each tool and each of its arguments is described."""
    listed = ask(mcp_server, "tools/list")["tools"]
    assert [tool["name"] for tool in listed] == list(NAMES)
    for tool in listed:
        assert len(tool["description"]) > 40
        assert all(argument.get("description") for argument in tool["inputSchema"]["properties"].values())
    schema = httpx.get(f"{mcp_server}/gradio_api/mcp/schema", timeout=60).json()
    assert [tool["name"] for tool in schema] == list(NAMES)


def test_a_call_over_mcp_answers_as_the_api_does(mcp_server: str) -> None:
    """The text of a tool's answer is the document of the API."""
    content = ask(mcp_server, "tools/call", name="leaderboard", arguments={"agents": "shell"})["content"]
    answer = json.loads(content[0]["text"])
    wanted = httpx.get(f"{mcp_server}/api/v1/leaderboard?agents=shell&per_page=200", timeout=60).json()
    assert answer["rows"] == wanted["rows"]
    assert len(answer["rows"]) > 2


def test_what_is_no_tool_cannot_be_called(mcp_server: str) -> None:
    """The callbacks that fill pages stay closed."""
    assert ask(mcp_server, "tools/call", name="show_home", arguments={})["isError"] is True


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "", 405), ("DELETE", "", 405), ("GET", "/sse", 404), ("POST", "/messages/", 404), ("GET", "/http", 404)],
)
def test_of_mcp_nothing_else_is_open(mcp_server: str, method: str, path: str, status: int) -> None:
    """No stream is held open, no session is kept."""
    assert httpx.request(method, f"{mcp_server}/gradio_api/mcp{path}", timeout=60).status_code == status
    assert httpx.post(f"{mcp_server}/gradio_api/mcp", content=b"x" * (300 << 10), timeout=60).status_code == 413


def test_a_tool_is_no_function_of_a_page(sample_server: str) -> None:
    """What pages call by its number is open to pages alone."""
    html = httpx.get(f"{sample_server}/", timeout=60).text
    config = json.JSONDecoder().raw_decode(html.split("window.gradio_config = ", 1)[1])[0]
    numbers = [each["id"] for each in config["dependencies"] if each["api_name"] in NAMES]
    assert len(numbers) == len(NAMES)
    for number in numbers:
        body = {"data": [""] * 6, "fn_index": number, "session_hash": "s"}
        assert httpx.post(f"{sample_server}/gradio_api/run/predict", json=body, timeout=60).status_code == 400
