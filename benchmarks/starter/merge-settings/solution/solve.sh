#!/bin/bash
set -euo pipefail
python3 - <<'EOF'
import json
from pathlib import Path


def merge(base, layer):
    merged = dict(base)
    for key, value in layer.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict):
            merged[key] = merge(merged[key] if isinstance(merged.get(key), dict) else {}, value)
        else:
            merged[key] = value
    return merged


settings = {}
for path in sorted(Path("/app/layers").glob("*.json")):
    settings = merge(settings, json.loads(path.read_text()))
Path("/app/settings.json").write_text(json.dumps(settings, indent=2))
EOF
