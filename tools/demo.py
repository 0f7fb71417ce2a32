"""The demo: run the starter benchmark end to end on this machine, then serve the leaderboard until Ctrl-C.

Each demo adds a run and keeps the earlier ones, below `.seawall`. With `--model smollm2` a small language model is served from an
environment of its own and one more cell solves the tasks with it. `--no-serve` ends after the run.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = str(ROOT / ".venv/bin/python")
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
        print("\n==> running; one line for each change (Ctrl-C is safe: `make demo` goes on)", flush=True)
        _runner(environment, "run", "reconcile", "--all", "--watch")
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
    while not _is_free(port):
        port += 1
    results = Path(environment.get("SEAWALL_HOME", ROOT / ".seawall")) / "results"
    environment |= {"SEAWALL_SOURCE": f"folder:{results}", "GRADIO_SERVER_PORT": str(port), "SEAWALL_HOST": "127.0.0.1"}
    print(f"==> leaderboard: http://127.0.0.1:{port}   (stop with Ctrl-C)\n", flush=True)
    server = subprocess.Popen([PYTHON, "app.py"], cwd=ROOT, env=environment)
    try:
        return server.wait()
    except KeyboardInterrupt:
        _end(server)
        print("\nstopped; `make demo` starts again and keeps what was measured", flush=True)
        return 0


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _end(process: "subprocess.Popen[str] | subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


if __name__ == "__main__":
    sys.exit(main())
