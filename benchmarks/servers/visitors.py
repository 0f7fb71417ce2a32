"""Visitors of a running Space: processes that are started and watched, and requests that many make at once."""

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import httpx

ROOT: Final = Path(__file__).parents[2]
READY_SECONDS: Final = 600.0


class Served(NamedTuple):
    """A server process."""

    address: str
    pid: int
    ready_seconds: float
    """From starting the process to the first ready answer."""

    def resident_mb(self) -> float:
        """Return the resident size of the process now, in MiB."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


class Answers(NamedTuple):
    """What many requests took."""

    seconds: tuple[float, ...]
    failed: Mapping[str, int]
    """Failed pages by their code."""
    wall_seconds: float

    @property
    def p95(self) -> float:
        """The 95th percentile, in seconds."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]

    @property
    def per_second(self) -> float:
        """Answers a second."""
        return len(self.seconds) / self.wall_seconds


@contextmanager
def serving(command: Sequence[str], environment: Mapping[str, str], port: int) -> Iterator[Served]:
    """Start a server of `command` and yield it when it is ready; it is ended by its process id."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, *command], cwd=ROOT, env={**os.environ, **environment})
    try:
        address = f"http://127.0.0.1:{port}"
        while not _is_ready(address):
            if process.poll() is not None or time.perf_counter() - start > READY_SECONDS:
                raise RuntimeError(f"the server {' '.join(command)} did not become ready")
            time.sleep(0.05)
        yield Served(address, process.pid, time.perf_counter() - start)
    finally:
        process.terminate()
        process.wait(30)


def visit(address: str, function: int, queries: Sequence[str], *, at_once: int) -> Answers:
    """Ask for the page of the Gradio `function` with each of `queries`, `at_once` at a time, as a browser does."""
    return asyncio.run(_visit(address, function, queries, at_once))


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


async def _visit(address: str, function: int, queries: Sequence[str], at_once: int) -> Answers:
    waiting = list(reversed(queries))
    seconds: list[float] = []
    failed: Counter[str] = Counter()

    async def visitor(client: httpx.AsyncClient) -> None:
        while waiting:
            query = waiting.pop()
            body = json.dumps({"data": [], "fn_index": function, "session_hash": "benchmark"})
            start = time.perf_counter()
            try:
                found = await client.post(
                    f"/gradio_api/run/predict?{query}", content=body, headers={"content-type": "application/json"}
                )
            except httpx.HTTPError as error:
                failed[type(error).__name__] += 1
                continue
            seconds.append(time.perf_counter() - start)
            if code := _failure(found):
                failed[code] += 1

    limits = httpx.Limits(max_connections=at_once)
    async with httpx.AsyncClient(base_url=address, timeout=60, limits=limits) as client:
        start = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(visitor(client))
        return Answers(tuple(seconds), failed, time.perf_counter() - start)


def _failure(found: httpx.Response) -> str:
    """Return the code of a page that failed, or an empty text."""
    if found.status_code != 200:
        return str(found.status_code)
    panel = re.search(r'class=\\"panel failed\\"[^>]*><h2>([^<]*)', found.text)
    return panel[1] if panel else ""


def _is_ready(address: str) -> bool:
    try:
        return httpx.get(f"{address}/readyz", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False
