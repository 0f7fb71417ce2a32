"""What a Space installs is what is tested: the front matter of README.md, requirements.txt and the lock say the same."""

import json
import runpy
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from space.keeper import is_plain_address
from tests.test_environments import SPACE, run

ROOT = Path(__file__).parents[1]
PLATFORM = "gradio[oauth,mcp]"
"""What the platform installs beside requirements.txt, at `sdk_version`."""
FOLLOW = """
import importlib.metadata, json, re, sys
from packaging.requirements import Requirement

waiting, followed, versions, wrong = [Requirement(line) for line in sys.argv[1:]], set(), {}, []
while waiting:
    asked = waiting.pop()
    name = re.sub("[-_.]+", "-", asked.name).lower()
    try:
        found = importlib.metadata.distribution(asked.name)
    except importlib.metadata.PackageNotFoundError:
        wrong.append(f"{asked} is not installed")
        continue
    if not asked.specifier.contains(found.version, prereleases=True):
        wrong.append(f"{asked} is asked for, {found.version} is installed")
    versions[name] = found.version
    for extra in {"", *asked.extras} - {extra for followed_name, extra in followed if followed_name == name}:
        followed.add((name, extra))
        below = [Requirement(line) for line in found.requires or ()]
        waiting += [each for each in below if each.marker is None or each.marker.evaluate({"extra": extra})]
print(json.dumps([wrong, versions]))
"""
"""Follow requirements through what is installed: what is missing or of a version that was not asked for, and all versions."""


@pytest.fixture(scope="module")
def front_matter() -> dict[str, Any]:
    """The settings between the first two lines of dashes in README.md."""
    found: dict[str, Any] = yaml.safe_load((ROOT / "README.md").read_text(encoding="utf-8").split("---\n")[1])
    return found


@pytest.fixture(scope="module")
def asked() -> list[Requirement]:
    """The lines of requirements.txt."""
    return [Requirement(line) for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").split("\n") if line]


@pytest.fixture(scope="module")
def locked() -> dict[str, set[str]]:
    """The locked versions of each package; pydantic has two."""
    found: dict[str, set[str]] = {}
    for package in tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]:
        found.setdefault(package["name"], set()).add(package.get("version", ""))
    return found


def test_the_platform_installs_the_locked_gradio(front_matter: dict[str, Any], locked: dict[str, set[str]]) -> None:
    """`sdk_version` is the one version in the lock."""
    assert (front_matter["sdk"], {front_matter["sdk_version"]}) == ("gradio", locked["gradio"])


def test_every_requirement_lets_the_locked_version_in(asked: list[Requirement], locked: dict[str, set[str]]) -> None:
    """And names no Gradio, which the platform adds."""
    names = {each.name.replace("_", "-"): each for each in asked}
    assert set(names) == {"duckdb", "huggingface-hub", "pyarrow"}
    assert all(each.specifier.contains(version) for name, each in names.items() for version in locked[name])


def test_the_locked_environment_asks_for_what_a_space_installs(front_matter: dict[str, Any], asked: list[Requirement]) -> None:
    """The group `space`, which the tests import, is requirements.txt and the platform's line."""
    group = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]["space"]
    installed = {_plain(each) for each in asked} | {_plain(Requirement(f"{PLATFORM}=={front_matter['sdk_version']}"))}
    assert {_plain(Requirement(line)) for line in group} - installed == {_plain(Requirement("pytest>=8"))}
    assert installed <= {_plain(Requirement(line)) for line in group}


def test_the_locked_environment_is_one_that_a_space_may_get(
    front_matter: dict[str, Any], asked: list[Requirement], locked: dict[str, set[str]]
) -> None:
    """From requirements.txt and the platform's line on, everything that is asked for is installed, in the locked version."""
    lines = [*map(str, asked), f"{PLATFORM}=={front_matter['sdk_version']}"]
    wrong, versions = json.loads(run(SPACE, FOLLOW, *lines))
    assert wrong == []
    assert len(versions) > 40
    assert {name for name, version in versions.items() if version not in locked[name]} == set()


def test_the_platform_is_told_what_to_start_and_to_ask_for_nothing_more(front_matter: dict[str, Any]) -> None:
    """The entry exists; sign-in asks for no scope beyond the name, for eight hours."""
    assert (ROOT / front_matter["app_file"]).is_file()
    assert "hf_oauth_scopes" not in front_matter
    assert (front_matter["hf_oauth"], front_matter["hf_oauth_expiration_minutes"]) == (True, 480)
    assert len(front_matter["short_description"]) <= 60


@pytest.mark.parametrize(
    ("origin", "shown"),
    [
        ("https://git.example/owner/name.git", "https://git.example/owner/name"),
        ("https://git.example:8443/name", "https://git.example:8443/name"),
        ("https://git/owner/name.git", ""),
        ("https://git..example/name", ""),
        ("https://git.example/../name", ""),
        ("https://someone:secret@git.example/name", ""),
        ("git@git.example:owner/name.git", ""),
        ("/srv/name", ""),
    ],
)
def test_the_demo_names_only_an_address_that_the_space_takes(origin: str, shown: str) -> None:
    """Whatever a checkout was cloned from, the Space starts; an account in the address is never shown."""
    found = runpy.run_path(str(ROOT / "tools/demo.py"))["plain_address"](origin)
    assert found == shown
    assert not found or is_plain_address(found)


def _plain(asked: Requirement) -> tuple[str, frozenset[str], str]:
    return asked.name.replace("_", "-"), frozenset(asked.extras), str(asked.specifier)
