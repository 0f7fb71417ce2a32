"""Two secrets of a worker leak by every channel a trial has, through a whole run; afterwards they stand nowhere on disk.

One is named like a secret, the other has an innocent name and is known only because the plan lists it. The scripted trial host
writes both into outputs, logs, results, error messages and file names, for attempts that succeed, fail and are killed.
"""

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from runner.evidence.secret_forms import forms_of
from runner.evidence.verification import verify_run
from tests.kill.support.installation import Installation, write_experiment

pytestmark = pytest.mark.kill
CANARIES: Final = {"SERVICE_API_TOKEN": "canary-4f1d-of-the-environment", "OPERATOR_PHRASE": "canary-9b2e-of-the-plan"}
DEPLOYMENTS: Final = "  deployments:\n    - {id: none, kind: none}\n"
NOP: Final = "    - {id: nop, revision: 0.26.0, revision_kind: harbor, agent: {name: nop}}\n"
WITH_A_SECRET: Final = {
    DEPLOYMENTS: f"""\
  models:
    - {{id: small, repo: example/small, revision: 0123456789abcdef0123456789abcdef01234567, weights: {{format: gguf}}}}
{DEPLOYMENTS}    - id: served
      kind: server
      server: here
      api: chat_completions
      served_model: small
      context_tokens: 8192
      max_output_tokens: 512
      request_concurrency: 2
      secret_names: [OPERATOR_PHRASE]
""",
    NOP: f"""\
{NOP}    - id: bash-loop
      revision: 1.0.0
      revision_kind: package
      agent: {{import_path: "runner.agents.bash_loop.agent:BashLoop", kwargs: {{max_turns: 6, max_output_tokens: 512}}}}
  include:
    - {{deployment: none, agent: oracle}}
    - {{deployment: none, agent: nop}}
    - {{deployment: served, agent: bash-loop}}
""",
}


def leaks(home: Path) -> list[str]:
    """Return each file below `home`, or member of an archive there, that holds a canary in any form, in content or name."""
    forms = [form for canary in CANARIES.values() for form in forms_of(canary)]
    found = []
    for path, data in everything_in(home):
        if any(form in data or form in path.encode() for form in forms):
            found.append(path)
    return found


def everything_in(home: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every file below `home`, and the members of every archive."""
    for file in sorted(home.rglob("*")):
        path = str(file.relative_to(home))
        data = file.read_bytes() if file.is_file() and not file.is_symlink() else b""
        yield path, data
        if path.endswith(".tar.gz"):
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                for member in archive:
                    content = archive.extractfile(member)
                    yield f"{path}!{member.name}", content.read() if content else b""


@pytest.mark.parametrize("fault", ["wave/wave.after_end:3", pytest.param("", marks=pytest.mark.long)])
def test_no_secret_of_a_worker_is_left_anywhere(tmp_path: Path, fault: str) -> None:
    """Events, status, evidence, archives, tables, job folders and scratch are clean, also after a worker was killed."""
    names = ",".join(CANARIES)
    installation = Installation(tmp_path, SEAWALL_SERVERS="here=http://127.0.0.1:9/v1", **CANARIES)
    assert installation.call("run", "submit", str(write_experiment(tmp_path / "experiment", edit=WITH_A_SECRET))) == 0
    installation.use_double()
    once = tmp_path / "died"
    extra = {"SEAWALL_FAULT": f"{fault}:{once}"} if fault else {}
    assert installation.finish(DOUBLE_LEAKS=names, **extra) == 0
    assert once.exists() is bool(fault)
    assert installation.state().run.label
    assert verify_run(installation.house.evidence, installation.run_id).bundles > 4
    assert leaks(installation.home) == []
    kept = b"".join(data for path, data in everything_in(installation.home / "evidence") if "leak" in path)
    assert kept.count(b"[redacted:") >= 2 * len(CANARIES)


def test_the_search_finds_what_is_planted(tmp_path: Path) -> None:
    """A canary in a file, a name or an archive is seen: the test above can fail."""
    canary = CANARIES["OPERATOR_PHRASE"]
    (tmp_path / canary).write_text("")
    (tmp_path / "plain").write_text(f"x {canary} y")
    with tarfile.open(tmp_path / "some.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "plain", "inside")
    assert leaks(tmp_path) == [canary, "plain", "some.tar.gz!inside"]
