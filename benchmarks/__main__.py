"""`python -m benchmarks NAME [--json]`: run one benchmark and print its median and its ratio to its baseline.

A benchmark is a module of this folder with `measure() -> Measurement`, or with `report() -> str` where its figures are no times;
with `figures()` and `shown()` where there are many of them; without NAME the names are printed.
"""

import argparse
import importlib
import json
import re
import sys
from pathlib import Path
from typing import Final

from benchmarks.measurement import Measurement

_NOT_BENCHMARKS: Final = frozenset({"__main__", "measurement"})
_OFFERED: Final = re.compile(r"^def (measure|report|figures)\(", re.MULTILINE)


def names() -> list[str]:
    """Return the names of all benchmarks; none is imported, since its libraries would count in the memory of another."""
    files = Path(__file__).parent.glob("*.py")
    return sorted(file.stem for file in files if file.stem not in _NOT_BENCHMARKS and _OFFERED.search(file.read_text()))


def main(arguments: list[str]) -> int:
    """Run the benchmark that `arguments` name; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure one thing against a baseline.")
    parser.add_argument("name", nargs="?", help="the benchmark; without it, their names are printed")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    known = names()
    if options.name is None:
        print("\n".join(known))
        return 0
    if options.name not in known:
        parser.error(f"unknown benchmark {options.name!r}; known: {', '.join(known)}")
    module = importlib.import_module(f"benchmarks.{options.name}")
    if hasattr(module, "report"):
        print(json.dumps({"name": options.name, "report": module.report().splitlines()}) if options.json else module.report())
    elif hasattr(module, "figures"):
        found = []
        for each in module.figures():  # one after another, so that half an hour's work is not silent
            found.append(each)
            print(module.shown([each]), file=sys.stderr if options.json else sys.stdout, flush=True)
        if options.json:
            print(json.dumps([each._asdict() for each in found]))
    else:
        print(_shown(module.measure(), as_json=options.json))
    return 0


def _shown(found: Measurement, *, as_json: bool) -> str:
    if as_json:
        return json.dumps(found._asdict())
    times = f"{found.value:.3f} {found.unit}, baseline {found.baseline:.3f} {found.unit}"
    return f"{found.name}: {times}, ratio {found.ratio:.3f}, {found.peak_mb:.0f} MB above the interpreter"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
