"""Each page for choosing in four states: ready, empty, stale, failed, as text.

The texts are goldens: what a visitor reads. `SEAWALL_GOLDEN=refresh` writes them anew; review the difference.
"""

import shutil
from pathlib import Path

import pytest

from space.answer import answer
from space.pages.page import discover
from space.readers.folder import FolderSource
from space.readers.refresh import Refresh
from tests.builders.goldens import check_golden
from tests.space.listings.choosing.published_facts import one, read_facts
from tests.space.pages.test_states import content
from tests.space.served import settings_for

PAGES = {page.slug: page for page in discover()}
GOLDENS = Path(__file__).parent / "goldens"
NAMES = ("leaderboard", "models", "model", "agents", "agent", "grid", "cost", "compare", "pick", "cell")


def address(name: str, root: Path) -> tuple[str, str]:
    """Return slug and query of a page with things on it."""
    facts = read_facts(root)
    cells = [one(facts, model, "shell").row["cell_id"] for model in ("Coral-32B", "coral-7b")]
    return {
        "leaderboard": ("", ""),
        "models": ("model", ""),
        "model": ("model", "model=example/coral-7b"),
        "agents": ("agent", ""),
        "agent": ("agent", "agent=shell"),
        "grid": ("grid", ""),
        "cost": ("cost", ""),
        "compare": ("compare", f"cells={','.join(cells)}"),
        "pick": ("compare", ""),
        "cell": ("cell", f"cell_id={cells[1]}"),
    }[name]


@pytest.fixture(scope="module")
def states(works: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Refresh]:
    """Four sources: published, empty, published and then broken, broken from the start."""
    root = tmp_path_factory.mktemp("states")
    (root / "empty").mkdir()
    shutil.copytree(works, root / "stale")
    folders = {"ready": works, "empty": root / "empty", "stale": root / "stale"}
    found = {name: Refresh(FolderSource(folder), memory_mib=256, clock=lambda: 0.0) for name, folder in folders.items()}
    for each in found.values():
        each.refresh()
    (root / "stale/example/catalog/current.json").write_bytes(b"{")
    found["stale"].refresh()
    found["failed"] = Refresh(FolderSource(root / "stale"), memory_mib=256, clock=lambda: 0.0)
    found["failed"].refresh()
    return found


@pytest.mark.parametrize("state", ["ready", "empty", "stale", "failed"])
@pytest.mark.parametrize("name", NAMES)
def test_what_a_visitor_reads(states: dict[str, Refresh], works: Path, tmp_path: Path, name: str, state: str) -> None:
    """Rows and banner where there are rows; why not, and what to do, where there are none; a code where it failed."""
    slug, query = address(name, works)
    found = content(answer(PAGES[slug], query, states[state], settings_for(tmp_path)))
    check_golden(GOLDENS / f"{name}-{state}.txt", found)
