"""Offline stand-ins for apt-get, curl, uv and uvx, put on PATH when a manifest asks for `shims`.

Many public tasks begin their tests with `apt-get install curl`, fetch uv's installer and run `uvx pytest`. Without a network
those lines fail although the machine already has what they ask for. A shim succeeds only where that is true: apt-get if every
package is installed on the host, uv and uvx by running the tool that is there, curl for the installer's address and for
loopback. pytest is lent to them from the environment `.venv-shims`, whatever version they ask for. Anything else exits with an
error that says what is missing. Written into the sandbox by `local_sandbox.py`.
"""

from pathlib import Path
from typing import Final

SHIMS_FOLDER: Final = "/opt/seawall-shims"
PACKAGES_FOLDER: Final = "/opt/seawall-packages"
"""Where the packages of `.venv-shims` (pytest) are bound, read-only; only uvx and `uv run` look there."""

_APT_GET: Final = """#!/bin/sh
# Succeeds if every package that is asked for is installed on the host.
verb= missing=
for word in "$@"; do
  case $word in
    -*) ;;
    *) if [ -z "$verb" ]; then verb=$word; elif [ "$verb" = install ]; then
         name=${word%%=*}
         [ -d "/usr/share/doc/$name" ] || command -v "$name" >/dev/null 2>&1 || missing="$missing $name"
       fi ;;
  esac
done
[ -z "$missing" ] || { echo "apt-get (offline): not on this machine:$missing" >&2; exit 100; }
"""

_CURL: Final = """#!/bin/sh
# Answers for uv's installer with a script that does nothing; loopback and files go to the real curl.
for word in "$@"; do
  case $word in
    https://astral.sh/uv/*) mkdir -p "$HOME/.local/bin"; : > "$HOME/.local/bin/env"; echo 'exit 0'; exit 0 ;;
    http://127.0.0.1*|http://localhost*|file://*) exec /usr/bin/curl "$@" ;;
  esac
done
echo "curl (offline): only loopback can be reached from this sandbox" >&2
exit 6
"""

_UVX: Final = """#!/bin/sh
# Runs the tool that is installed: `uvx [options] TOOL args` becomes `python3 -m TOOL args`.
while [ $# -gt 0 ]; do
  case $1 in
    -p|--python|-w|--with|--from|--index-url) shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
tool=${1%%@*}; tool=${tool%%==*}; shift
export PYTHONPATH=/opt/seawall-packages${PYTHONPATH:+:$PYTHONPATH}
command -v "$tool" >/dev/null 2>&1 && exec "$tool" "$@"
exec python3 -m "$tool" "$@"
"""

_UV: Final = """#!/bin/sh
# `uv run` and `uv tool run` run what is installed; `uv pip install` and `uv add` succeed for what is installed.
case $1 in
  tool|run) [ "$1" = tool ] && shift; shift; exec uvx "$@" ;;
  init|venv|sync) exit 0 ;;
  pip|add) shift; for word in "$@"; do case $word in
      install|-*) ;;
      *) name=${word%%[=<>~[]*}; python3 -c "import importlib.metadata as m; m.version('$name')" 2>/dev/null ||
           { echo "uv (offline): not on this machine: $name" >&2; exit 1; } ;;
    esac; done ;;
  --version) echo "uv 0 (offline shim)" ;;
  *) echo "uv (offline): no network in this sandbox" >&2; exit 1 ;;
esac
"""

SHIMS: Final = {"apt-get": _APT_GET, "apt": _APT_GET, "curl": _CURL, "uv": _UV, "uvx": _UVX}
"""File name -> text of each stand-in."""


def shim_binds(root: Path) -> dict[str, str]:
    """Return what a sandbox with shims gets bound from the checkout `root`: nothing if `.venv-shims` is not installed."""
    found = sorted((root / ".venv-shims" / "lib").glob("python3.*/site-packages"))
    return {PACKAGES_FOLDER: str(found[-1])} if found else {}
