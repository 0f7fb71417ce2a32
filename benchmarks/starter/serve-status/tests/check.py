"""1 if the server is up and answers both kinds of path, else 0."""

import json
import urllib.error
import urllib.request
from pathlib import Path


def is_right():
    """Tell whether both answers are as asked."""
    with urllib.request.urlopen("http://127.0.0.1:8080/status", timeout=5) as answer:
        if json.loads(answer.read()) != {"status": "ok"}:
            return False
    try:
        urllib.request.urlopen("http://127.0.0.1:8080/other", timeout=5)
    except urllib.error.HTTPError as error:
        return error.code == 404
    return False


try:
    right = is_right()
except (OSError, ValueError):
    right = False
Path("/logs/verifier/reward.txt").write_text("1" if right else "0")
