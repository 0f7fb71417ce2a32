"""first_table: the leaderboard of 2,000 runs and 1,000,000 trials in a cold browser, against its table as a constant.

Both are served by the same Gradio shell; the constant needs no query and no callback, so the ratio is what reading the published
tables costs a visitor. The synthetic runs are made once and kept below the system's folder for temporary files.
"""

import hashlib
import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

import gradio as gr
import uvicorn
from fastapi import FastAPI
from playwright.sync_api import Browser, sync_playwright

from benchmarks import synthetic, synthetic_results
from benchmarks.measurement import Measurement, compare
from benchmarks.synthetic import synthetic_run
from benchmarks.synthetic_results import write_many
from space.answer import answer
from space.app import create_app, mount
from space.config import Settings
from space.pages.page import discover

RUNS: Final = 2_000
TASKS: Final = 100
REPEATS: Final = 5
METRICS: Final = 5
CHROMIUM: Final = "/usr/bin/chromium"
FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def measure() -> Measurement:
    """Measure the time from an empty browser to the first row on screen."""
    settings = Settings(published(), is_sample=False, host="127.0.0.1", port=1, refresh_seconds=86_400, memory_mib=1_024)
    with ExitStack() as stack:
        app = create_app(settings)
        stack.callback(app.state.refresh.close)
        app.state.refresh.refresh()
        ours = stack.enter_context(_serving(app))
        constant = stack.enter_context(_serving(_constant(answer(discover()[0], "", app.state.refresh, settings))))
        playwright = stack.enter_context(sync_playwright())
        browser = stack.enter_context(_closing(playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)))
        pages = count(1)  # a page that nobody asked for before: the mirror remembers what it made
        return compare(
            "first_table",
            lambda: _first_row(browser, f"{ours}?page={next(pages)}"),
            lambda: _first_row(browser, constant),
            rounds=9,
        )


def published() -> Path:
    """Return the root of the synthetic results, made on the first call; its name tells what made it."""
    sources = b"".join(Path(str(module.__file__)).read_bytes() for module in (synthetic, synthetic_results))
    made_of = hashlib.sha256(sources + repr((RUNS, TASKS, REPEATS, METRICS)).encode()).hexdigest()[:16]
    root = Path(tempfile.gettempdir()) / f"seawall-benchmark-{os.getuid()}-{made_of}"
    if not root.is_dir():
        partial_root = root.with_suffix(".partial")
        shutil.rmtree(partial_root, ignore_errors=True)
        write_many(partial_root, partial(synthetic_run, tasks=TASKS, repeats=REPEATS, metrics=METRICS), RUNS)
        partial_root.rename(root)
    return root


def _constant(page: str) -> FastAPI:
    with gr.Blocks(title="Seawall", analytics_enabled=False) as blocks:
        gr.Navbar(visible=False)
        gr.HTML(page, apply_default_css=False, js_on_load=None, padding=False, elem_id="page")
    app = FastAPI()
    mount(app, blocks)
    return app


def _first_row(browser: Browser, address: str) -> None:
    """Open `address` in a window without a cache and wait for the first row of the table."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(address, wait_until="commit")
    page.wait_for_selector("table.leaderboard tbody tr", timeout=60_000)
    context.close()


@contextmanager
def _serving(app: FastAPI) -> Iterator[str]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        server.should_exit = True
        thread.join(10)


@contextmanager
def _closing(browser: Any) -> Iterator[Browser]:
    yield browser
    browser.close()
