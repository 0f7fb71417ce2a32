"""The read API over HTTP: the rows of the pages, one thing by its id, files, errors with codes, nothing written."""

import csv
import io
import json
from pathlib import Path
from urllib.parse import quote, urlencode

import duckdb
import httpx
import pyarrow.parquet as pq
import pytest
from starlette.requests import Request

from space import api as module
from space.app import create_app
from space.exports.columns import objects_of, values_of
from space.listings.listing import discover, read_whole
from space.pages.page import discover as pages
from space.queries.view import View, format_query
from space.readers.folder import FolderSource
from space.readers.mirror import Mirror
from space.readers.refresh import Refresh
from tests.space.exports.views import NAMES, views_of
from tests.space.served import settings_for

API = "/api/v1"


def get(server: str, path: str, **headers: str) -> httpx.Response:
    """Return the answer to one GET."""
    return httpx.get(f"{server}{path}", headers=headers, timeout=30)


def query_of(view: View) -> str:
    """Return the query string of a view with the largest page."""
    return "?" + "&".join(part for part in (format_query(view), "per_page=200") if part)


@pytest.mark.parametrize("name", NAMES)
def test_api_and_every_format_give_the_rows_of_the_list(name: str, works_server: str, works_mirror: Mirror) -> None:
    """Equal rows in equal order as JSON, CSV, Parquet and exported JSON; what the page reads is what `read` gives."""
    for listing, view in views_of(name, works_mirror):
        whole = read_whole(listing, view, works_mirror)
        wanted = objects_of(whole)
        path = f"{API}/{name}"
        answer = get(works_server, path + query_of(view)).json()
        assert answer["rows"] == wanted[:200]
        assert answer["total"] == len(wanted)
        named = "?" + "&".join(part for part in (format_query(view), "format=") if part)
        exported = get(works_server, f"{path}{named}json").json()
        assert [dict(zip(exported["columns"], row, strict=True)) for row in exported["rows"]] == wanted
        table = pq.read_table(io.BytesIO(get(works_server, f"{path}{named}parquet").content))
        assert table.column_names == [field.name for field in listing.fields]
        assert [_plain(row) for row in table.to_pylist()] == [_plain(row) for row in _typed(whole)]
        rows = list(csv.reader(io.StringIO(get(works_server, f"{path}{named}csv").text)))
        assert rows[0] == [field.name for field in listing.fields]
        assert len(rows) == len(wanted) + 1


def _typed(whole: object) -> list[dict[str, object]]:
    names = [field.name for field in whole.listing.fields]  # type: ignore[attr-defined]
    return [dict(zip(names, row, strict=True)) for row in values_of(whole)]  # type: ignore[arg-type]


def _plain(row: dict[str, object]) -> list[object]:
    return [round(value.timestamp() * 1e6) if hasattr(value, "timestamp") else value for value in row.values()]


@pytest.mark.parametrize("page", [page for page in pages() if page.slug not in {"about", "request", "cell", "compare"}])
def test_a_page_exports_the_list_behind_it(page: object, works_server: str) -> None:
    """`?format=` of a page's own address gives what the API gives."""
    path = page.path  # type: ignore[attr-defined]
    found = get(works_server, f"{path}?format=csv")
    assert found.status_code == 200
    assert found.headers["content-disposition"].startswith('attachment; filename="seawall-')
    name = found.headers["content-disposition"].split("seawall-")[1].split("-")[0]
    assert found.content == get(works_server, f"{API}/{name}?format=csv").content


def test_parquet_and_json_say_where_they_are_from(works_server: str, works_mirror: Mirror) -> None:
    """Revision set, SQL and versions stand in the file."""
    exported = get(works_server, f"{API}/leaderboard?format=json").json()
    metadata = pq.read_schema(io.BytesIO(get(works_server, f"{API}/leaderboard?format=parquet").content)).metadata
    assert exported["mirror"] == works_mirror.identity == metadata[b"seawall.mirror"].decode()
    assert exported["revisions"]["example/catalog"]["revision"] == 1
    assert exported["sql"].startswith("SELECT")
    assert json.loads(metadata[b"seawall.versions"])["statistics"] == 1
    assert "rank_low" in exported["not_from_sql"]


def test_the_script_of_an_address_runs_anywhere(works_server: str, works: object) -> None:
    """What `format=sql` gives is the query of that address."""
    text = get(works_server, "/grid?format=sql&agents=shell").text
    connection = duckdb.connect()
    connection.execute(f"SET file_search_path='{works}'")
    found = connection.execute(text)
    names = [column[0] for column in found.description]
    rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    answer = get(works_server, f"{API}/grid?agents=shell&per_page=200").json()
    assert [row["cell_id"] for row in rows] == [row["cell_id"] for row in answer["rows"]]
    assert len(rows) > 2


def test_one_thing_by_its_id(works_server: str, works_mirror: Mirror) -> None:
    """A cell, its history, its run, an attempt, and where its score comes from."""
    answer = get(works_server, f"{API}/cells?model=example/coral-7b&per_page=25").json()
    cell = answer["rows"][0]
    assert get(works_server, f"{API}/cells/{cell['cell_id']}").json()["rows"] == [cell]
    history = get(works_server, f"{API}/cells/{cell['cell_id']}/history").json()
    assert cell["cell_id"] in {row["cell_id"] for row in history["rows"]}
    attempts = get(works_server, f"{API}/attempts?cell_id={cell['cell_id']}").json()["rows"]
    one = get(works_server, f"{API}/attempts/{attempts[3]['attempt_id']}").json()
    assert one["rows"] == [attempts[3]]
    assert get(works_server, f"{API}/runs/{attempts[0]['run_id']}").json()["rows"][0]["run_id"] == attempts[0]["run_id"]
    found = get(works_server, f"{API}/provenance/{cell['cell_id']}").json()["rows"][0]
    assert found["evidence"]["run_id"] == attempts[0]["run_id"]


def test_an_unchanged_mirror_is_304(works_server: str) -> None:
    """The ETag is the mirror and the question: another order of the same keys is the same question."""
    first = get(works_server, f"{API}/leaderboard?agents=shell&sort=cost")
    assert first.headers["cache-control"] == "public, max-age=60"
    assert first.headers["x-seawall-mirror"] == first.json()["mirror"]
    again = get(works_server, f"{API}/leaderboard?sort=cost&agents=shell", **{"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    other = get(works_server, f"{API}/leaderboard?agents=planner&sort=cost", **{"if-none-match": first.headers["etag"]})
    assert other.status_code == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE", "MKCOL"])
@pytest.mark.parametrize("path", ["/api/v1/cells", "/api/v1/nothing", "/api/x", "/openapi.json"])
def test_nothing_is_written_through_the_api(server: str, method: str, path: str) -> None:
    """Every other method is 405 and says what is allowed."""
    found = httpx.request(method, f"{server}{path}", content=b"{}")
    assert (found.status_code, found.json()["error"]["code"]) == (405, "route.read_only")
    assert found.headers["allow"] == "GET, HEAD, OPTIONS"


def test_any_origin_may_read_without_credentials(server: str) -> None:
    """Public results: `*`, and no header that would let cookies along."""
    found = get(server, f"{API}/cells", origin="https://elsewhere.example")
    assert found.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in found.headers
    asked = httpx.options(f"{server}{API}/cells", headers={"origin": "https://x.example", "access-control-request-method": "GET"})
    assert (asked.status_code, asked.headers["access-control-allow-methods"]) == (204, "GET, HEAD, OPTIONS")


HOSTILE = [
    "page=0",
    "page=-1",
    "page=1e9",
    "page=9999999",
    "page=%00",
    "page=1;DROP TABLE cell",
    "page=1&page=2",
    "per_page=7",
    "per_page=1000000",
    "per_page=25%27",
    "sort=score;--",
    "sort=(SELECT 1)",
    "sort=__proto__",
    "dir=up",
    "dir=asc&dir=desc",
    "reruns=none",
    "roles=root",
    "edition=zz",
    "edition=' OR 1=1 --",
    "edition=%F0%9F%92%A9",
    "benchmark=../../etc/passwd",
    "benchmark=UPPER",
    "benchmark=" + "a" * 64,
    "revision=-1",
    "revision=0",
    "revision=1.5",
    "revision=99999999",
    "revision=999",
    "models=%00",
    "models=<script>alert(1)</script>",
    "models=" + quote("a'b"),
    "agents=" + "%E2%80%AE",
    "quality=%0d%0aSet-Cookie: x=1",
    "kind=a%0ab",
    "q=" + "x" * 101,
    "q=%00",
    "q=%20%20",
    "q=" + "%ff",
    "max_cost=-1",
    "max_cost=nan",
    "max_cost=1e309",
    "max_cost=0x10",
    "max_cost=" + "9" * 50,
    "format=exe",
    "format=../x",
    "format=csv&format=json",
    "format=md%00",
    "format=" + "x" * 500,
    "benchmark=not-published",
    "edition=0123456789",
    "x=" + "y" * 3_000,
    "&".join(f"k{number}=v" for number in range(600)),
]


@pytest.mark.parametrize("query", HOSTILE, ids=lambda query: query[:24])
@pytest.mark.parametrize("path", ["/api/v1/leaderboard", "/"])
def test_a_hostile_query_is_told_what_is_wrong(works_server: str, path: str, query: str) -> None:
    """A clear 4xx with a code, on the API and on an export; never a row that was not asked for, never a 500."""
    if path == "/" and not query.startswith("format="):
        query = f"format=csv&{query}"
    found = get(works_server, f"{path}?{query}")
    assert 400 <= found.status_code < 500
    error = found.json()["error"]
    assert error["code"].startswith(("query.", "view.", "export."))
    assert error["message"]
    assert "Traceback" not in found.text


def test_injected_text_finds_what_it_says(works_server: str, works_mirror: Mirror) -> None:
    """A text that is a value is only ever compared."""
    for text in ("' OR '1'='1", "%", "_", "a'--", '"; DROP TABLE cell; --', "kelp"):
        rows = get(works_server, f"{API}/cells?{urlencode({'q': text, 'per_page': 200})}").json()["rows"]
        whole = read_whole(discover()["cells"], View("cells", {}), works_mirror).rows
        known = [
            row["cell_id"] for row in whole if text.lower() in row["model_repo"].lower() or text.lower() in row["agent_name"]
        ]
        assert [row["cell_id"] for row in rows] == known


def test_unknown_keys_are_named(works_server: str) -> None:
    """A typing error in a key is visible in the answer."""
    found = get(works_server, f"{API}/cells?model=example/coral-7b&modle=x&per_page=25").json()
    assert (found["ignored"], found["view"]) == (["modle"], "/api/v1/cells?model=example%2Fcoral-7b&per_page=25")


@pytest.mark.parametrize(
    "path", ["/api/v1/", "/api/", "/api/v2/cells", "/api/v1/cells/x/y/z", "/api/v1/../mirror", "/api/v1/runs/A%00"]
)
def test_an_unknown_path_is_404_with_a_code(server: str, path: str) -> None:
    """Never a page of Gradio in the place of JSON."""
    found = get(server, path)
    assert found.status_code == 404
    assert found.json()["error"]["code"] in {"route.unknown", "view.not_published"}


def test_the_description_names_every_list_and_its_columns(server: str) -> None:
    """`/openapi.json` is ours and follows from the lists."""
    document = get(server, "/openapi.json").json()
    assert {f"/api/v1/{name}" for name in discover()} <= set(document["paths"])
    row = document["paths"]["/api/v1/cells"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    columns = row["properties"]["rows"]["items"]["properties"]
    assert list(columns) == [field.name for field in discover()["cells"].fields]


def test_a_page_of_text_is_plain_markdown(server: str) -> None:
    """`/about?format=md` reads without a browser; a page without a list has no CSV."""
    text = get(server, "/about?format=md")
    assert text.headers["content-type"].startswith("text/markdown")
    assert text.text.startswith("# About")
    assert "<" not in text.text.replace("p <", "")
    assert get(server, "/about?format=csv").json()["error"]["code"] == "export.no_list"


def test_a_third_whole_list_waits_for_its_turn(works: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two are written at once; who waits too long is told to come again, and lists by the page go on."""
    monkeypatch.setattr(module, "EXPORT_WAIT_SECONDS", 0.05)
    app = create_app(settings_for(works))
    app.state.refresh.refresh()
    api = module.Api(app.state.refresh, settings_for(works))
    with api._turn(is_heavy=True), api._turn(is_heavy=True):
        busy = api.answer(_request("/api/v1/cells", "format=csv"), None)
        assert (busy.status_code, busy.headers["retry-after"]) == (503, "2")
        assert api.answer(_request("/api/v1/cells", ""), None).status_code == 200
    assert api.answer(_request("/api/v1/cells", "format=csv"), None).status_code == 200
    app.state.refresh.close()


def _request(path: str, query: str) -> Request:
    scope = {"type": "http", "method": "GET", "path": path, "query_string": query.encode(), "headers": [], "scheme": "http"}
    return Request({**scope, "server": ("localhost", 80)})


def test_a_mistake_of_ours_is_a_code_and_an_id(
    works: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """No traceback leaves; the log holds it beside the id."""
    app = create_app(settings_for(works))
    monkeypatch.setattr(module, "plan_for_api", lambda *_: {}["secret detail"])
    answer = module.Api(app.state.refresh, settings_for(works)).answer(_request("/api/v1/cells", ""), None)
    assert answer.status_code == 500
    assert json.loads(bytes(answer.body))["error"]["code"] == "answer.failed"
    assert b"secret" not in bytes(answer.body)
    assert "secret detail" in caplog.text
    app.state.refresh.close()


@pytest.mark.parametrize("state", ["loading", "empty"])
def test_without_a_mirror_or_rows_the_answer_says_which(state: str, works: Path, tmp_path: Path) -> None:
    """503 while it is loading; over nothing published lists are empty and an edition is 404."""
    app = create_app(settings_for(works if state == "loading" else tmp_path))
    app.state.refresh.close()
    refresh = Refresh(FolderSource(works if state == "loading" else tmp_path), memory_mib=256, clock=lambda: 0.0)
    if state == "empty":
        refresh.refresh()
    api = module.Api(refresh, settings_for(works))
    cells, board = (api.answer(_request(f"/api/v1/{name}", ""), None) for name in ("cells", "leaderboard"))
    if state == "loading":
        assert (cells.status_code, cells.headers["retry-after"]) == (503, "5")
    else:
        assert json.loads(bytes(cells.body))["rows"] == []
        assert (board.status_code, json.loads(bytes(board.body))["error"]["code"]) == (404, "view.nothing")
    refresh.close()
