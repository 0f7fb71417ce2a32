"""`/about`: its anchors, the commands it names, the lists, and a citation of exactly what is shown."""

import html
import re
from pathlib import Path

import pytest

from shared.documents.experiment.reader import read_experiment
from space.listings.listing import discover
from space.pages.about import show
from space.queries.view import View
from space.readers.mirror import Mirror
from tests.space.pages.test_numbers import plain
from tests.space.publishing import CATALOG, mirror_of

ROOT = Path(__file__).parents[3]


@pytest.fixture
def page(mirror: Mirror) -> str:
    """The page as markup."""
    return str(show(View("about", {}), mirror))


def test_every_link_within_the_page_has_its_place(page: str) -> None:
    """Also those that other pages lead to: how the choice is made and how to verify."""
    anchors = set(re.findall(r' id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= anchors
    assert {"choice", "verify", "methods", "words", "model", "cite"} <= anchors


def test_what_a_stranger_can_check_is_said_in_these_words(page: str) -> None:
    """What is arithmetic, what hangs on digests, and what needs access."""
    said = (
        "the arithmetic, row and table digests, the receipt's signature against the published trust policy, and the chain of "
        "digests to the published run lock and the evidence statement of each trial {bundle digest, reward, outcome, sizes}."
    )
    assert said in plain(page)
    assert "What needs access: the evidence bytes themselves" in plain(page)


def test_every_list_is_named(page: str) -> None:
    """By the name that pages and programs ask for."""
    names = plain(page.split('id="lists"')[1].split('id="cite"', maxsplit=1)[0])
    assert all(f"/api/v1/{name} " in f"{names} " for name in discover())


def test_the_citation_names_the_revision_that_is_shown(page: str, mirror: Mirror) -> None:
    """Catalog, revision, digest, mirror and year."""
    catalog = mirror.revisions.catalog
    assert catalog is not None
    text = plain(page)
    assert f"Agent benchmark results, {CATALOG}@{catalog.revision.number}" in text
    assert str(catalog.revision.digest) in text
    assert mirror.identity in text


def test_nothing_published_cites_nothing(tmp_path: Path) -> None:
    """An empty source still has its page."""
    (tmp_path / "empty").mkdir()
    assert "there is nothing to cite" in plain(show(View("about", {}), mirror_of(tmp_path / "empty", tmp_path / "mirror")))


def test_every_command_on_the_page_exists(page: str) -> None:
    """Each line that starts the runner names a command of the map, whose table is made from the parser, and options of it."""
    lines = [plain(line) for line in re.findall(r"<pre[^>]*>(.*?)</pre>", page)]
    commands = [line.split("python -m runner ")[1].split() for line in lines if "python -m runner " in line]
    table = (ROOT / "docs/map.md").read_text(encoding="utf-8")
    assert len(commands) >= 6
    for noun, verb, *rest in commands:
        line = next(line for line in table.splitlines() if line.startswith(f"| `{noun} {verb}"))
        assert all(word in line for word in rest if word.startswith("--"))


def test_the_manifest_on_the_page_is_one(page: str) -> None:
    """Its matrix in the place of the copied file's, with names filled in, is read without a word."""
    found = re.search(r'<pre[^>]*aria-label="Manifest"[^>]*>(.*?)</pre>', page)
    assert found is not None
    lines = [html.unescape(line) for line in re.findall(r'<span class="line">(.*?)</span>', found[1])]
    before, _, rest = (ROOT / "benchmarks/starter-smollm2.yaml").read_text(encoding="utf-8").partition("matrix:\n")
    text = "\n".join(lines).replace("OWNER/NAME", "example/small").replace("COMMIT", "a" * 40)
    experiment = read_experiment(f"{before}{text}\nharbor:\n{rest.partition('harbor:\n')[2]}".encode())
    assert [deployment.id for deployment in experiment.matrix.deployments] == ["mine"]


def test_the_steps_stand_in_order(page: str) -> None:
    """From the repository to the results, each after what it needs."""
    text = plain(page.split('id="model"')[1])
    words = ("make setup", "SEAWALL_SERVERS=", "cp benchmarks/", "run plan", "run submit", "run reconcile", "SEAWALL_SOURCE=")
    places = [text.index(word) for word in words]
    assert places == sorted(places)
