"""1 if every hidden case holds, else 0."""

import sys
from pathlib import Path

sys.path.insert(0, "/app")


def raises(call):
    """Tell whether `call` raises ValueError."""
    try:
        call()
    except ValueError:
        return True
    return False


try:
    from pages import page, page_count

    letters = list("abcdefg")
    cases = [
        page_count(0, 5) == 1, page_count(10, 5) == 2, page_count(11, 5) == 3, page_count(1, 5) == 1,
        page(letters, 1, 3) == list("abc"), page(letters, 3, 3) == ["g"], page(letters, 4, 3) == [], page([], 1, 3) == [],
        raises(lambda: page(letters, 0, 3)), raises(lambda: page(letters, 1, 0)), letters == list("abcdefg"),
    ]
    right = all(cases)
except Exception:
    right = False
Path("/logs/verifier/reward.txt").write_text("1" if right else "0")
