"""A graded task: the reward is the fraction of cases that hold; `to` and `from` are the fractions of each function."""

import json
import sys
from pathlib import Path

sys.path.insert(0, "/app")
NUMERALS = {1: "I", 4: "IV", 9: "IX", 14: "XIV", 40: "XL", 90: "XC", 400: "CD", 944: "CMXLIV", 1994: "MCMXCIV", 3999: "MMMCMXCIX"}


def holds(call, expected):
    """Tell whether `call` returns `expected`, or raises ValueError where that is what is expected."""
    try:
        return call() == expected
    except ValueError:
        return expected is ValueError
    except Exception:
        return False


def fraction(cases):
    """Return how many of `cases` hold, from 0 to 1."""
    return sum(cases) / len(cases)


try:
    import roman

    to = [holds(lambda n=n: roman.to_roman(n), text) for n, text in NUMERALS.items()]
    to += [holds(lambda n=n: roman.to_roman(n), ValueError) for n in (0, -1, 4000)]
    back = [holds(lambda t=t: roman.from_roman(t), n) for n, t in NUMERALS.items()]
    back += [holds(lambda t=t: roman.from_roman(t), ValueError) for t in ("", "IIII", "VX", "IM", "ABC")]
except Exception:
    to, back = [False], [False]
rewards = {"reward": fraction(to + back), "to": fraction(to), "from": fraction(back)}
Path("/logs/verifier/reward.json").write_text(json.dumps(rewards))
