#!/usr/bin/env bash
# Asks the advisory database about every pinned package of each environment that ours start. Needs the package registry's JSON API.
set -euo pipefail
cd "$(dirname "$0")/.."
uv=.uv/bin/uv
[ -x "$uv" ] || uv=uv
listed="$(mktemp)"
trap 'rm -f "$listed"' EXIT
audit() {
  echo "==> $1"
  .venv/bin/python -m pip_audit --progress-spinner off --disable-pip --no-deps --requirement "$listed"
}
for group in core space; do
  "$uv" export --frozen --quiet --only-group "$group" --no-hashes --no-emit-project >"$listed"
  audit "$group"
done
"$uv" export --frozen --quiet --project runner/harness/environment --no-hashes --no-emit-project >"$listed"
audit harness
