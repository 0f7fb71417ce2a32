"""The demo: run the starter benchmark end to end on this machine, then serve the leaderboard until Ctrl-C.

Each demo adds a run and keeps the earlier ones, below `.seawall`. With `--model smollm2` a small language model is served from an
environment of its own and one more cell solves the tasks with it. `--no-serve` ends after the run.
"""

import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = str(ROOT / ".venv/bin/python")
PERSON_NEEDED = 3
INTERRUPTED = 130
CONTACT = "whoever started this demo, on the machine that it runs on"
PLAIN_ADDRESS = re.compile(r"https://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(:[0-9]{1,5})?(/[A-Za-z0-9_.~-]+)*")
MANIFESTS = {"": "benchmarks/starter.yaml", "smollm2": "benchmarks/starter-smollm2.yaml"}


def main() -> int:
    """Run the demo and return its exit code."""
    parser = argparse.ArgumentParser(description="Run the starter benchmark and show the leaderboard.")
    parser.add_argument("--model", choices=[name for name in MANIFESTS if name], default="")
    parser.add_argument("--port", type=int, default=7860)
    parser.add_argument("--no-serve", action="store_true", help="end after the run")
    found = parser.parse_args()
    started = time.monotonic()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    server = _serve_model(environment) if found.model else None
    try:
        _runner(environment, "run", "submit", MANIFESTS[found.model])
        print("\n==> running; one line for each change (Ctrl-C is safe)", flush=True)
        _watch(environment)
    except KeyboardInterrupt:
        print("\ninterrupted: work that has begun goes on by itself; nothing is lost", flush=True)
        print("continue with: .venv/bin/python -m runner run reconcile --all --watch", flush=True)
        return INTERRUPTED
    finally:
        if server is not None:
            _end(server)
    _runner(environment, "run", "list")
    print(f"\n==> done in {time.monotonic() - started:.0f} s", flush=True)
    return 0 if found.no_serve else _serve_leaderboard(environment, found.port)


def _runner(environment: dict[str, str], *arguments: str) -> None:
    done = subprocess.run([PYTHON, "-m", "runner", *arguments], cwd=ROOT, env=environment, check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)


def _watch(environment: dict[str, str]) -> None:
    """Move runs on until they have ended; say so if only a person can move one on, and show what there is."""
    done = subprocess.run(
        [PYTHON, "-m", "runner", "run", "reconcile", "--all", "--watch"], cwd=ROOT, env=environment, check=False
    )
    if done.returncode == INTERRUPTED:
        raise KeyboardInterrupt
    if done.returncode == PERSON_NEEDED:
        print("==> a run waits for a person: see the lines above, and `.venv/bin/python -m runner run status RUN`", flush=True)
    elif done.returncode != 0:
        sys.exit(done.returncode)


def _serve_model(environment: dict[str, str]) -> "subprocess.Popen[str]":
    """Start the model server and put its address into `environment`; it ends with this process."""
    print("==> starting the model server", flush=True)
    interpreter = ROOT / ".venv-demo-model/bin/python"
    command = [str(interpreter), "-m", "runner.serving.serve", "--until-stdin-closes"]
    server = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert server.stdout is not None
    for line in server.stdout:
        if line.startswith("{"):
            ready = json.loads(line)
            environment["SEAWALL_SERVERS"] = f"smollm2={ready['base_url']}"
            print(f"    {ready.get('label', ready.get('model', ''))} at {ready['base_url']}", flush=True)
            return server
    sys.exit("the model server ended before it was ready")


def _serve_leaderboard(environment: dict[str, str], port: int) -> int:
    wanted = port
    while not _is_free(port):
        port += 1
    if port != wanted:
        print(f"==> port {wanted} is taken; using {port}", flush=True)
    home = Path(environment.get("SEAWALL_HOME") or ROOT / ".seawall")
    results = Path(environment.get("SEAWALL_RESULTS") or home / "results")
    environment |= {"SEAWALL_SOURCE": f"folder:{results}", "GRADIO_SERVER_PORT": str(port), "SEAWALL_HOST": "127.0.0.1"}
    environment.setdefault("SEAWALL_CONTACT", CONTACT)
    environment.setdefault("SEAWALL_REPOSITORY", _cloned_from())
    print(f"==> leaderboard: http://127.0.0.1:{port}   (stop with Ctrl-C)\n", flush=True)
    server = subprocess.Popen([PYTHON, "app.py"], cwd=ROOT, env=environment)
    try:
        return server.wait()
    except KeyboardInterrupt:
        print("\nstopped; `make demo` starts again and keeps what was measured", flush=True)
        return 0
    finally:
        _end(server)


def _cloned_from() -> str:
    """Return the https address that this checkout was cloned from, "" where git does not know one."""
    git = shutil.which("git")
    if git is None:
        return ""
    found = subprocess.run([git, "remote", "get-url", "origin"], cwd=ROOT, capture_output=True, text=True, check=False)
    return plain_address(found.stdout.strip())


def plain_address(origin: str) -> str:
    """Return the address of `origin` that the Space takes for SEAWALL_REPOSITORY, "" where there is none."""
    address = origin.removesuffix(".git")
    return address if PLAIN_ADDRESS.fullmatch(address) and ".." not in address else ""


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _end(process: "subprocess.Popen[str] | subprocess.Popen[bytes]") -> None:
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


if __name__ == "__main__":
    sys.exit(main())
