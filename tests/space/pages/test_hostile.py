"""Hostile texts in published columns and hostile queries in addresses: shown as text, answered clearly, never run."""

import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest

from space.answer import answer
from space.pages.page import discover
from space.readers.folder import FolderSource
from space.readers.refresh import Refresh
from tests.space.browser import Visitor, chromium
from tests.space.publishing import CATALOG, change_table, rows_of
from tests.space.served import serving, settings_for

SCRIPTS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<body onload=alert(1)>",
    "<a href=javascript:alert(1)>x</a>",
    "<details open ontoggle=alert(1)>",
    "<input autofocus onfocus=alert(1)>",
    "<video><source onerror=alert(1)>",
    "<math><mi//xlink:href='javascript:alert(1)'>",
    "<style>@import 'https://evil.example'</style>",
    "<link rel=stylesheet href=https://evil.example>",
    "<meta http-equiv=refresh content=0;url=https://evil.example>",
    "<base href=https://evil.example>",
    "<object data=https://evil.example>",
    "<embed src=https://evil.example>",
    "<form action=https://evil.example><button>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<!--><script>alert(1)</script>-->",
]
QUOTES = [
    '" onmouseover="alert(1)',
    "' onmouseover='alert(1)",
    '"><script>alert(1)</script>',
    "'><img src=x onerror=alert(1)>",
    "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "</svg><script>alert(1)</script>",
    "</table><script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)",
    "&quot;&gt;&lt;img src=x&gt;",
    '\\"><script>alert(1)</script>',
    "`${alert(1)}`",
    "${alert(1)}",
    "{{constructor.constructor('alert(1)')()}}",
    "{@html alert(1)}",
    "#{alert(1)}",
    "<%= alert(1) %>",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
]
ODD = [
    "a\u202ecod.exe",
    "\u2066hidden\u2069",
    "zero\u200bwidth",
    "bell\x07",
    "escape\x1b[31m",
    "\ufeffbom",
    "line\u2028separator",
    "x" * 2_000,
    "' OR 1=1 --",
    "'; DROP TABLE cell; --",
    '") UNION SELECT * FROM runs --',
    "%27%20OR%201=1",
    "../../../etc/passwd",
    "//evil.example/x",
    "/\\evil.example",
    "=cmd|'/C calc'!A0",
    "\u0000",
    "\ud7ff\ue000",
    "none",
    "   ",
]
TEXTS = [*SCRIPTS, *QUOTES, *ODD]
assert len(TEXTS) == 60
CELL_COLUMNS = [
    "model_repo",
    "model_revision",
    "model_id",
    "agent_name",
    "agent_id",
    "agent_revision",
    "deployment_id",
    "deployment_kind",
    "provider",
    "region",
    "hardware",
    "engine",
    "engine_version",
    "image_digest",
    "agent_import_path",
    "host_release",
    "quantization",
    "api",
    "sandbox",
    "series",
    "primary_reward",
    "weights_format",
    "cell_digest",
    "deployment_digest",
    "tasks_sha256",
    "benchmark_digest",
    "unranked_reason",
]
ATTEMPT_COLUMNS = [
    "state",
    "category",
    "reason_code",
    "phase",
    "exception_type",
    "retry_reason",
    "verifier_environment",
    "job_id",
    "wave_id",
    "runtime",
]
HARMLESS = frozenset(
    [
        "div",
        "span",
        "a",
        "p",
        "h1",
        "h2",
        "h3",
        "nav",
        "ul",
        "ol",
        "li",
        "strong",
        "code",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "svg",
        "title",
        "rect",
        "circle",
        "line",
        "path",
        "text",
        "section",
        "dl",
        "dt",
        "dd",
        "dfn",
        "pre",
        "form",
        "input",
        "label",
        "select",
        "option",
        "button",
        "details",
        "summary",
    ]
)


class Elements(HTMLParser):
    """Collects the elements and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.addresses: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one element."""
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.addresses |= {value or "" for name, value in attrs if name in {"href", "action"}}


@pytest.fixture(scope="module")
def hostile(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published folder whose text columns hold the 60 texts, a different one in each column of each row."""
    root = Path(shutil.copytree(published, tmp_path_factory.mktemp("hostile") / "results"))
    texts = iter(TEXTS * 1_000)

    def poison(columns: list[str]) -> Any:
        def change(rows: list[dict[str, Any]]) -> None:
            for row in rows:
                row.update({column: next(texts).replace("\ud7ff", "") for column in columns})

        return change

    change_table(root, "cells", poison(CELL_COLUMNS))
    change_table(root, "attempts", poison(ATTEMPT_COLUMNS))
    change_table(root, "runs", poison(["experiment", "requested_by", "approval", "harbor_version"]))
    change_table(root, "metrics", poison(["name", "unit"]))
    change_table(root, "artifacts", poison(["path", "kind", "stored"]))
    change_table(root, "trials", lambda rows: [row.update(failure_category=next(texts), reason_code=next(texts)) for row in rows])
    names = sorted({row["task_name"] for row in rows_of(root, "trials")})
    renamed = dict(zip(names, SCRIPTS, strict=False))
    change_table(root, "trials", lambda rows: [row.update(task_name=renamed[row["task_name"]]) for row in rows])
    change_table(root, "catalog", lambda rows: [row.update(reason=next(texts), actor=next(texts)) for row in rows], CATALOG)
    return root


@pytest.fixture(scope="module")
def refresh(hostile: Path) -> Refresh:
    """The hostile folder, served."""
    made = Refresh(FolderSource(hostile), memory_mib=256, clock=lambda: 0.0)
    assert made.refresh().state == "ready", made.standing
    return made


def queries(root: Path) -> list[tuple[str, str]]:
    """Return (page, query) of every page."""
    cells = [row["cell_id"] for row in rows_of(root, "cells")]
    trials = {row["cell_id"]: row for row in rows_of(root, "trials")}
    task = rows_of(root, "trials")[0]["task_name"]
    found = [(page.slug, "benchmark=harbour-chores") for page in discover()]
    found += [
        ("", "benchmark=harbour-chores&reruns=all"),
        ("task", f"benchmark=harbour-chores&task={task}"),
        ("run", f"run_id={rows_of(root, 'runs')[0]['run_id']}"),
        ("compare", f"cells={','.join(sorted(cells[:4]))}"),
    ]
    found += [("cell", f"cell_id={cell}") for cell in cells]
    return found + [("attempt", f"cell_id={cell}&trial_id={trials[cell]['trial_id']}") for cell in cells]


def test_published_texts_never_become_elements(refresh: Refresh, hostile: Path) -> None:
    """Every page of the hostile folder consists of our own elements, without handlers, leading to own pages or the Hub."""
    pages = {page.slug: page for page in discover()}
    seen = ""
    for slug, query in queries(hostile):
        page = answer(pages[slug], query, refresh, settings_for(hostile))
        assert "panel failed" not in page, (slug, query)
        found = Elements(page)
        assert found.names <= HARMLESS
        assert not {name for name in found.attributes if name.startswith("on") or name in {"style", "src", "srcdoc"}}
        assert all(address.startswith(("/", "#", "https://huggingface.co/")) for address in found.addresses)
        assert not any(address.startswith(("//", "/\\")) for address in found.addresses)
        seen += page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in seen
    assert "\\u202e" in seen
    assert "\u202e" not in seen


@pytest.mark.browser
def test_published_texts_run_nothing_in_a_browser(hostile: Path) -> None:
    """No dialog, no error, no foreign request on any page; the text is there to read."""
    server: Iterator[str] = serving(settings_for(hostile))
    with chromium() as browser:
        window = Visitor(browser, next(server))
        for slug, query in queries(hostile):
            page = window.open(f"/{slug}?{query.replace('<', '%3C').replace('>', '%3E')}")
            assert page.locator("#content script, #content img, #content iframe").count() == 0
        window.close()
    server.close()  # type: ignore[attr-defined]
    assert window.problems == []


BAD_QUERIES = [
    *(f"q={text}" for text in SCRIPTS[:6]),
    *(f"cell_id={text}" for text in ("'", "cell-0' OR '1'='1", "../..", "a" * 500, "%00", "%ff%fe", "cell-1;DROP TABLE cell")),
    *(f"task={text}" for text in ("'", "%", "_", "\\", "a" * 150, "%F0%9F%98%80", "nul%00l")),
    *(f"benchmark={text}" for text in ("'", "none-such", "HARBOUR", "a" * 63, "-", "%e2%80%ae")),
    *(f"edition={text}" for text in ("0", "ffffffffff", "'", "g" * 64)),
    *(f"page={text}" for text in ("0", "999999", "99999999999999999999", "-1", "1.5", "\u0661")),
    *(f"models={text}" for text in (",,,", "a,'b", "x" * 100 + "," + "y" * 120, "%22")),
    *("sort=cell_id;--", "dir=desc;--", "per_page=1000000", "reruns=none", "trial_id=x", "attempt_id=' OR 1=1"),
    *("&&&&", "====", "q", "%", "\x00\x01"),
]
assert len(BAD_QUERIES) >= 50


@pytest.mark.parametrize("query", [*BAD_QUERIES, "page=2", "deep_link=x", "page=cell&deep_link=../../x"])
def test_any_query_is_served_over_http(server: str, query: str) -> None:
    """The shell of every page answers 200 whatever the query holds, also keys that the web framework reads itself."""
    for page in discover():
        found = httpx.get(f"{server}{page.path}", params=httpx.QueryParams(dict(parse_qsl(query))))
        assert found.status_code == 200


@pytest.mark.parametrize("query", BAD_QUERIES)
def test_any_query_gets_a_clear_answer(refresh: Refresh, hostile: Path, query: str) -> None:
    """A page with a heading: rows, an empty state or "not published"; never a failure, a traceback or nothing."""
    for page in discover():
        found = answer(page, query, refresh, settings_for(hostile))
        assert 'id="content"' in found
        assert "panel failed" not in found
        assert "Traceback" not in found
        assert Elements(found).names <= HARMLESS
