"""The methods page prints what the simulations give."""

from pathlib import Path

from benchmarks.simulations import DESIGNS, EDGES, covered

PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"


def test_every_printed_coverage_is_the_simulated_one() -> None:
    """`python -m benchmarks simulations` prints the same."""
    text = PAGE.read_text(encoding="utf-8")
    for design in (*DESIGNS, *EDGES):
        assert f"| {design.name} | {100 * covered(design, 2_000):.1f}% |" in text
