#!/usr/bin/env bash
# Sets up what a target needs and says what it does. Usage: tools/setup.sh demo|test|model. Safe to run twice.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${1:-test}"
uv_version="0.13.9"

say() { printf '\n==> %s\n' "$*"; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo -n "$@"; else return 1; fi
}

# A package of the system, installed where that is possible; the program it brings is what counts.
need_program() {
  local program="$1" package="$2" why="$3"
  command -v "$program" >/dev/null && return 0
  say "installing $package ($why)"
  if command -v apt-get >/dev/null && as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package" >/dev/null; then
    return 0
  fi
  if command -v dnf >/dev/null && as_root dnf install -y -q "$package"; then return 0; fi
  echo "could not install $package; as an administrator run: apt-get install $package" >&2
  return 1
}

find_uv() {
  if uv --version >/dev/null 2>&1; then command -v uv; return; fi
  if [ ! -x .uv/bin/uv ]; then
    say "installing uv $uv_version into .uv" >&2
    if ! python3 -m venv .uv >/dev/null 2>&1; then
      need_program python3 python3 "to fetch uv" >&2
      as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3-venv >/dev/null 2>&1 || true
      python3 -m venv .uv >&2
    fi
    .uv/bin/python -m pip install --quiet "uv==$uv_version" >&2
  fi
  echo "$PWD/.uv/bin/uv"
}

uv="$(find_uv)"
echo "uv: $("$uv" --version)"
need_program bwrap bubblewrap "the local sandbox that tasks run in"
if [ "$target" = test ]; then
  need_program chromium chromium "for the browser tests" || true
fi

say "core environment (.venv)"
"$uv" sync --frozen --quiet
say "harness environment (.venv-harness): Harbor, unmodified"
.venv/bin/python -m runner harness install --uv "$uv"
if [ "$target" = test ]; then
  say "space environment (.venv-space): what a Space installs"
  UV_PROJECT_ENVIRONMENT=.venv-space "$uv" sync --frozen --quiet --only-group space
fi
if [ "$target" = model ]; then
  say "model environment (.venv-demo-model): a small language model and its server"
  .venv/bin/python -c 'import sys; from pathlib import Path; from runner.serving.install import install; install(Path(sys.argv[1]), Path.cwd())' "$uv"
fi
