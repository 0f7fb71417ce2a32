"""space: the Space over 2,000 runs, 1,000,000 trials, 1,300,000 attempts and 5,000,000 metrics: real server, real browser.

Times are gated as ratios to a baseline of the same turn: an empty shell for the start, hashing and decoding the files for the
mirror, a server of one constant page for visitors. Goals are printed beside them. SEAWALL_BENCHMARK_SWAPS sets how often the
revision is swapped under load (10).
"""

import hashlib
import os
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
from playwright.sync_api import sync_playwright

from benchmarks import first_table
from benchmarks.servers.visitors import Answers, Served, free_port, serving, visit
from shared import paths
from shared.arrow import read_parquet
from shared.digests import Digest
from shared.documents.revision import Current, Revision
from shared.tables.registry import TABLES
from space.readers.build import build_mirror, revisions_of
from space.readers.folder import FolderSource

VISITORS: Final = 32
REQUESTS: Final = 600
TRAFFIC: Final = 10_000
SWAPS: Final = int(os.environ.get("SEAWALL_BENCHMARK_SWAPS", "10"))
PAGES: Final = {"matrix": 50, "grid": 5}
LISTED: Final = ("cell", "matrix", "grid", "compare")


class Figure(NamedTuple):
    """One line of the result; `gate` bounds the ratio where there is a baseline, else the value."""

    name: str
    value: float
    unit: str
    gate: float
    holds: bool
    baseline: float | None = None
    ratio: float | None = None
    goal: str = ""


def figures() -> Iterator[Figure]:
    """Measure everything, one figure after another; takes about a quarter of an hour."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="seawall-bench-")))
        root = _copy(first_table.published(), folder / "results")
        yield _mirror(root, folder)
        yield from _first_table()
        page = folder / "page.html"
        ours = stack.enter_context(_space(root))
        page.write_text(_page(ours, 0, ""), encoding="utf-8")
        constant = stack.enter_context(_constant(page))
        yield _start(ours, constant)
        yield _weight(ours)
        yield _small("memory_idle", ours.resident_mb(), "MB", 400)
        for many, gate in ((1, 6.0), (VISITORS, 4.0)):
            yield _at_once(ours, constant, "", many, gate)
        for slug in LISTED:
            yield _at_once(ours, constant, slug, VISITORS, 6.0)
        yield from _under_swaps(ours, root)


def _mirror(root: Path, folder: Path) -> Figure:
    """Build a mirror, checks and ranks included, against hashing and decoding its files."""
    source = FolderSource(root)
    start = time.perf_counter()
    build_mirror(source, revisions_of(source, source.catalog(), folder / "scratch"), folder / "mirror", 1_024)._close()  # noqa: SLF001 - never served
    ours = time.perf_counter() - start
    start = time.perf_counter()
    for file in root.rglob("*.parquet"):
        hashlib.sha256(file.read_bytes()).hexdigest()
        read_parquet(TABLES[file.relative_to(root).parts[3]], [file])
    return _ratio("mirror", ours, time.perf_counter() - start, 1.5)


def _first_table() -> list[Figure]:
    found = first_table.measure()
    return [_ratio("first_table", found.value, found.baseline, 2.0, goal="1.5 s")]


def _start(ours: Served, constant: Served) -> Figure:
    """Start to ready on a warm disk, mirror included, against the same shell without tables."""
    return _ratio("start", ours.ready_seconds, constant.ready_seconds, 15.0, goal="8 s")


def _weight(ours: Served) -> Figure:
    """What a cold browser loads for the leaderboard, and that it asks no other host."""
    loaded, foreign = 0, 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=first_table.CHROMIUM, args=first_table.FLAGS)
        page = browser.new_page()
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")

        def count(event: dict[str, Any]) -> None:
            nonlocal loaded
            loaded += int(event["encodedDataLength"])

        def look(request: Any) -> None:
            nonlocal foreign
            foreign += not request.url.startswith((ours.address, "data:", "blob:"))

        session.on("Network.loadingFinished", count)
        page.on("request", look)
        page.goto(ours.address)
        page.wait_for_selector("table.leaderboard tbody tr", timeout=60_000)
        page.wait_for_timeout(1_000)
        browser.close()
    if foreign:
        raise RuntimeError(f"the leaderboard made {foreign} requests to other hosts")
    return _small("page_weight", loaded / 1_000, "kB", 600, goal="500 kB")


def _at_once(ours: Served, constant: Served, slug: str, many: int, gate: float) -> Figure:
    """Ask for as many different views of a page as it has, and for the constant as often."""
    queries = _queries(ours, slug, REQUESTS if many > 1 else 100)
    found = visit(ours.address, _function(ours, slug), queries, at_once=many)
    base = visit(constant.address, 0, queries, at_once=many)
    goal = f"250 ms and 200 a second; now {found.per_second:.0f} a second, the constant {base.per_second:.0f}" if many > 1 else ""
    figure = _ratio(f"{slug or 'leaderboard'}_p95_at_{many}", found.p95, base.p95, gate, goal=goal)
    return figure._replace(holds=False, goal=f"of {len(queries)} pages failed: {dict(found.failed)}") if found.failed else figure


def _under_swaps(ours: Served, root: Path) -> list[Figure]:
    """Replay traffic while the newest revision changes; memory afterwards, and failed pages."""
    answers: list[Answers] = []
    queries = _queries(ours, "", TRAFFIC)
    swaps = 0
    done = threading.Event()

    def load() -> None:
        size = max(1, TRAFFIC // max(1, SWAPS))
        answers.extend(visit(ours.address, 0, queries[at : at + size], at_once=8) for at in range(0, TRAFFIC, size))
        done.set()

    threading.Thread(target=load, daemon=True).start()
    while swaps < SWAPS:
        before = _revision(ours)
        _advance(root)
        while _revision(ours) == before:
            time.sleep(0.5)
        swaps += 1
    done.wait()
    failed = sum(sum(each.failed.values()) for each in answers)
    return [
        _small("memory_after_traffic", ours.resident_mb(), "MB", 600, goal=f"500 MB; {TRAFFIC} requests, {swaps} swaps"),
        _small("failed_under_swaps", failed, "pages", 0),
        _small("longest_under_swaps", max((taken for each in answers for taken in each.seconds), default=0.0), "s", 60),
    ]


def _queries(ours: Served, slug: str, count: int) -> list[str]:
    """Return different queries of one page."""
    rows = _rows(ours)
    if slug == "cell":
        return [f"cell_id={rows[at % len(rows)]}&page={1 + at // len(rows)}" for at in range(count)]
    if slug in PAGES:
        return [f"page={1 + at % PAGES[slug]}" for at in range(count)]
    if slug == "compare":
        return [f"cells={rows[at % len(rows)]},{rows[(at * 7 + 1) % len(rows)]}" for at in range(count)]
    sorts = ("score", "cost", "pass_rate", "tokens", "duration", "completed")
    return [f"sort={sorts[at % 6]}&page={1 + at // 6 % 40}&q={'model-' + str(at % 40) if at % 3 else ''}" for at in range(count)]


def _rows(ours: Served) -> list[str]:
    return sorted(set(re.findall(r"cell_id=(cell-[0-9a-f]+)", _page(ours, 0, "per_page=200"))))


def _page(ours: Served, function: int, query: str) -> str:
    body = {"data": [], "fn_index": function, "session_hash": "benchmark"}
    found = httpx.post(f"{ours.address}/gradio_api/run/predict?{query}", json=body, timeout=60)
    return str(found.json()["data"][0])


def _revision(ours: Served) -> int:
    """Return which revision of the catalog is shown."""
    return int(re.findall(r"example/catalog@([0-9]+)", _page(ours, 0, ""))[-1])


def _advance(root: Path) -> None:
    """Commit one more revision of the catalog: the same files under the next number."""
    folder = root / "example" / "catalog"
    current = Current.from_bytes((folder / paths.CURRENT).read_bytes())
    before = Revision.from_bytes((folder / paths.revision_file(current.number)).read_bytes())
    after = before.model_copy(update={"number": before.number + 1, "previous_sha256": before.digest})
    (folder / paths.revision_file(after.number)).write_bytes(after.to_bytes())
    pointer = folder / f"{paths.CURRENT}.new"
    pointer.write_bytes(Current(number=after.number, sha256=Digest(after.digest)).to_bytes())
    pointer.rename(folder / paths.CURRENT)


def _copy(published: Path, into: Path) -> Path:
    """Return a copy of the published folder that shares the tables' bytes and has revisions of its own."""
    shutil.copytree(published, into, copy_function=os.link)
    for file in [*into.rglob("current.json"), *into.rglob("revisions/*.json")]:
        data = file.read_bytes()
        file.unlink()
        file.write_bytes(data)
    return into


@contextmanager
def _space(root: Path) -> Iterator[Served]:
    port = free_port()
    settings = {"SEAWALL_SOURCE": f"folder:{root}", "SEAWALL_HOST": "127.0.0.1", "PORT": str(port), "SEAWALL_REFRESH_S": "1"}
    with serving(["app.py"], {**settings, "GRADIO_SERVER_PORT": str(port)}, port) as found:
        yield found


@contextmanager
def _constant(page: Path) -> Iterator[Served]:
    port = free_port()
    with serving(["-m", "benchmarks.servers.constant_space", str(port), str(page)], {}, port) as found:
        yield found


def _function(server: Served, slug: str) -> int:
    """Return the number of the Gradio function that fills a page."""
    found = httpx.get(f"{server.address}/config", timeout=60).json()["dependencies"]
    return next(int(each["id"]) for each in found if each["api_name"] == f"show_{slug or 'home'}")


def _ratio(name: str, value: float, baseline: float, gate: float, goal: str = "") -> Figure:
    ratio = value / baseline
    return Figure(name, round(value, 4), "s", gate, ratio <= gate, round(baseline, 4), round(ratio, 3), goal)


def _small(name: str, value: float, unit: str, gate: float, goal: str = "") -> Figure:
    return Figure(name, round(value, 1), unit, gate, value <= gate, goal=goal)


def shown(found: Sequence[Figure]) -> str:
    """Return the figures as a table."""
    lines = []
    for each in found:
        ratio = f"ratio {each.ratio:.2f} of at most {each.gate:g}" if each.ratio is not None else f"at most {each.gate:g}"
        mark = "holds" if each.holds else "MISSED"
        lines.append(f"{each.name:24} {each.value:10.3f} {each.unit:5} {ratio:28} {mark:7} {each.goal}")
    return "\n".join(lines)
