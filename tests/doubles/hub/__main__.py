"""Serve the double: `python -m tests.doubles.hub --root DIR [--port 0] --print-env`, which prints how a client reaches it."""

import argparse
import os
import signal
import sys
from pathlib import Path

from tests.doubles.hub.app import Serving
from tests.doubles.hub.identity import READ, WRITE

OWNER = "example"


def main() -> int:
    """Serve until a signal ends it."""
    parser = argparse.ArgumentParser(prog="python -m tests.doubles.hub")
    parser.add_argument("--root", type=Path, required=True, help="where the state is kept; it is used again")
    parser.add_argument("--port", type=int, default=0, help="a port of loopback; 0 is any that is free")
    parser.add_argument("--print-env", action="store_true", help="print address and test tokens as shell settings")
    given = parser.parse_args()
    serving = Serving(given.root, given.port)
    tokens = {
        "SEAWALL_TOKEN_CONTROL": ("double-control", {"user": OWNER, "namespaces": [OWNER], "role": "write"}),
        "SEAWALL_READ_TOKEN": ("double-read", {"user": OWNER, "namespaces": [OWNER], "role": "read"}),
        "SEAWALL_INBOX_TOKEN": (
            "double-inbox",
            {
                "user": OWNER,
                "namespaces": [OWNER],
                "role": "fineGrained",
                "scoped": {f"datasets/{OWNER}/seawall-inbox": [READ, WRITE]},
            },
        ),
    }
    for value, said in tokens.values():
        serving.app.state.set_token(value, said)
    if given.print_env:
        for name, value in {"HF_ENDPOINT": serving.address, **{name: value for name, (value, _) in tokens.items()}}.items():
            sys.stdout.write(f"{name}={value}\n")
        sys.stdout.flush()
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    serving.close()
    os._exit(0)


if __name__ == "__main__":
    main()
