"""The Space writes, the pass takes, each killed at each step: no request is lost, none is two, a cancel comes through."""

import json
import shutil
import signal
import sys
from pathlib import Path
from typing import Final

import pytest

from runner.domain.control.events import RequestTaken
from shared.ids import RunId
from shared.inbox.codec import RequestSubject
from shared.planning.requested import Choice
from space.requests.submit import preview_submit
from space.requests.ticket import Draft, issue
from tests.kill.support.installation import Installation, write_experiment
from tests.kill.support.space_confirm import ALICE, desk_at

pytestmark = pytest.mark.kill
RUN: Final = RunId("run-" + "0" * 31 + "1")
NOW: Final = 1_800_000_000.0
STEPS: Final = ("BEGIN", "INSERT", "COMMIT", "after")
TAKING: Final = (
    "cli/control.before_commit:1",
    "cli/control.after_commit:1",
    "cli/pass.before_remove:1",
    "cli/pass.after_status:1",
)


@pytest.fixture(scope="session")
def open_for_requests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder whose installation offers two tasks, and whose pass has written its status."""
    folder = tmp_path_factory.mktemp("open")
    installation = Installation(folder, SEAWALL_MEMBER_ORG_IDS="org-members")
    assert installation.call("request", "offer", str(write_experiment(folder / "experiment"))) == 0
    assert installation.call("run", "reconcile", "--all") == 0
    return folder


def write_form(folder: Path, name: str, draft: Draft, number: int) -> Path:
    """Write what a browser would send to confirm `draft`."""
    ticket = issue(desk_at(folder / "home", NOW, number), ALICE, draft)
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"ticket": ticket, "body": draft.body, "now": NOW + 60}))
    return path


def confirm(installation: Installation, form: Path, where: str = "never") -> int:
    """Let a Space confirm a form; return its exit code."""
    command = [sys.executable, "-m", "tests.kill.support.space_confirm", str(installation.home), str(form), where]
    return installation.spawn(command).wait(60)


@pytest.mark.parametrize(("step", "taking"), list(zip(STEPS, TAKING, strict=True)))
def test_killed_at_each_step_every_request_is_taken_once(open_for_requests: Path, tmp_path: Path, step: str, taking: str) -> None:
    """Confirming again with the same ticket is the way on, before and after a pass has taken it."""
    shutil.copytree(open_for_requests / "home", tmp_path / "home")
    installation = Installation(tmp_path, SEAWALL_MEMBER_ORG_IDS="org-members").use_double()
    asked = preview_submit(desk_at(installation.home, NOW), ALICE, "starter", Choice(("none",), ("oracle",), 0)).asked
    submit = write_form(tmp_path, "submit", Draft("submit", RequestSubject("run", RUN), asked.to_bytes().decode()), 1)
    cancel = write_form(tmp_path, "cancel", Draft("cancel", RequestSubject("run", RUN), '{"now":false,"reason":"wrong"}'), 2)
    for form in (submit, cancel):
        assert confirm(installation, form, step) == -signal.SIGKILL
        waiting = installation.house.inbox.list(9).waiting
        assert waiting == (1 if step == "after" else 0) + (form == cancel)
        assert confirm(installation, form) == 0
        assert confirm(installation, form) == 0
    once = tmp_path / "died"
    assert installation.finish(SEAWALL_FAULT=f"{taking}:{once}") == -signal.SIGKILL
    installation.finish()
    confirm(installation, submit)
    installation.finish()
    taken = [event.payload.request.kind for event in installation.events() if isinstance(event.payload, RequestTaken)]
    assert (sorted(taken), installation.house.inbox.list(1).waiting) == (["cancel", "submit"], 0)
    assert (installation.run_id, installation.state().run.label) == (RUN, "cancelled")
