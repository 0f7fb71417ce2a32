"""docs/map.md cannot rot: its tables are made from the source."""

import re

from runner.cli.command_table import command_table
from runner.config import CHECKOUT
from tests.builders.goldens import check_golden
from tests.docs.error_codes import error_table

MAP = CHECKOUT / "docs" / "map.md"


def test_the_golden_tables_of_the_map_are_the_sources() -> None:
    """Every command and every error code is listed, nothing else is."""
    text = MAP.read_text(encoding="utf-8")
    made = text
    for name, table in (("commands", command_table()), ("codes", error_table())):
        begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
        before = made[made.index(begin) : made.index(end) + len(end)]
        made = made.replace(before, f"{begin}{table}\n{end}")
    check_golden(MAP, made.encode())


def test_every_page_that_the_map_names_exists() -> None:
    """A way in that leads nowhere is none."""
    text = MAP.read_text(encoding="utf-8")
    for path in re.findall(r"`((?:docs|runner|shared|space|tests)/[^`<*]*)`", text):
        assert (CHECKOUT / path).exists(), path
