"""1 if the merged settings are what the rules give, else 0."""

import json
from pathlib import Path

EXPECTED = {
    "theme": {"name": "dark", "colours": {"link": "green"}},
    "plugins": ["tabs"],
    "timeout": {"connect": 5, "read": 60},
    "proxy": {"host": "new.example"},
}
try:
    right = json.loads(Path("/app/settings.json").read_text()) == EXPECTED
except (OSError, ValueError):
    right = False
Path("/logs/verifier/reward.txt").write_text("1" if right else "0")
