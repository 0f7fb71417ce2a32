import io
import json
import tarfile
from pathlib import Path

import pytest

from runner.harness.reader import read_result
from tests.runner.adapters.local.compute.conftest import JOB, Attempts

pytestmark = pytest.mark.harness
TOML = """schema_version = "1.1"
[environment]
cpus = 2
memory_mb = 512
[environment.env]
FROM_TOML = "toml"
"""
DOCKERFILE = """FROM debian:12-slim
ARG WHERE=built
ENV PLACE=/app/$WHERE STYLE="two words"
WORKDIR /app
WORKDIR built
COPY one.txt renamed.txt
COPY *.txt /srv/texts/
COPY --chmod=700 folder ./folder
ADD packed.tar.gz /srv/unpacked
RUN echo "$WHERE $STYLE" > made.txt && pwd >> made.txt
CMD ["sleep", "infinity"]
"""
TEST = """#!/bin/bash
cd /app/built
check() { [ "$1" = "$2" ] || { echo "expected $2, got $1"; echo 0 > /logs/verifier/reward.txt; exit 0; }; }
check "$(cat renamed.txt)" one
check "$(ls /srv/texts | xargs)" "one.txt two.txt"
check "$(stat -c %a folder/inner.txt)" 700
check "$(cat /srv/unpacked/packed.txt)" packed
check "$(xargs < made.txt)" "built two words /app/built"
check "$PLACE $STYLE $FROM_TOML" "/app/built two words toml"
check "$(cat /app/built/agent.txt)" /app/built
check "${WHERE:-unset}" unset
echo 1 > /logs/verifier/reward.txt
"""


def _task(folder: Path, dockerfile: str = DOCKERFILE, toml: str = TOML, test: str = TEST) -> Path:
    files = {
        "task.toml": toml, "instruction.md": "Do it.", "environment/Dockerfile": dockerfile, "environment/one.txt": "one",
        "environment/two.txt": "two", "environment/folder/inner.txt": "inner", "tests/test.sh": test,
        "solution/solve.sh": "#!/bin/bash\npwd > agent.txt\n",
    }  # fmt: skip
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    _archive(folder / "environment" / "packed.tar.gz")
    return folder


def _archive(path: Path) -> None:
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo("packed.txt")
        member.size = len(b"packed")
        archive.addfile(member, io.BytesIO(b"packed"))


def test_a_dockerfile_is_carried_out(attempts: Attempts, tmp_path: Path) -> None:
    """Every instruction that is supported leaves what it would in an image, for agent and verifier."""
    attempts.start("att", _task(tmp_path / "task"), {"name": "oracle"})
    attempts.ends("att")
    log = attempts.folder / "att" / "att" / "verifier" / "test-stdout.txt"
    assert read_result(attempts.result_file("att").read_bytes(), "reward").reward == 1.0, log.read_text(encoding="utf-8")


def test_what_is_not_enforced_is_recorded(attempts: Attempts, tmp_path: Path) -> None:
    """Limits, the image that was not used and the missing network stand beside the result."""
    attempts.start("att", _task(tmp_path / "task"), {"name": "nop"})
    attempts.ends("att")
    assert json.loads((attempts.folder / "att" / "att" / "sandbox.json").read_bytes()) == {
        "kind": "local", "base_image_not_used": "debian:12-slim", "has_network": False, "shims": False,
        "enforced": {"storage_bytes": 10 << 30, "files": 2_000_000}, "not_enforced": {"cpus": 2, "memory_mb": 512},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("mode", "has_network"), [("", False), ('network_mode = "no-network"', False), ('network_mode = "public"', True)]
)
def test_the_network_is_off_unless_the_task_declares_it(attempts: Attempts, tmp_path: Path, mode: str, has_network: bool) -> None:
    """Harbor's default is public; a local sandbox asks for the task's own word."""
    test = "#!/bin/bash\necho $(( $(tail -n +3 /proc/net/dev | wc -l) > 1 )) > /logs/verifier/reward.txt\n"
    task = _task(tmp_path / "task", toml=f'schema_version = "1.1"\n[environment]\n{mode}\n', test=test)
    attempts.start("att", task, {"name": "nop"})
    attempts.ends("att")
    record = json.loads((attempts.folder / "att" / "att" / "sandbox.json").read_bytes())
    assert record["has_network"] is has_network
    if not has_network:
        assert read_result(attempts.result_file("att").read_bytes(), "reward").reward == 0.0


@pytest.mark.parametrize(
    ("dockerfile", "toml"),
    [
        ("FROM x\nUSER agent\n", TOML),
        ("FROM x\nENTRYPOINT ./start\n", TOML),
        ("FROM x\n", TOML + '[agent]\nuser = "agent"\n'),
    ],
    ids=["USER", "ENTRYPOINT", "agent user"],
)
def test_a_task_that_cannot_be_carried_out_is_refused(attempts: Attempts, tmp_path: Path, dockerfile: str, toml: str) -> None:
    """It ends with TASK_UNSUPPORTED, never with a reward."""
    attempts.start("att", _task(tmp_path / "task", dockerfile, toml), {"name": "oracle"})
    attempts.ends("att")
    folder = attempts.folder / "att"
    texts = [
        path.read_text(encoding="utf-8") for path in (folder / "failure.json", folder / "att" / "result.json") if path.exists()
    ]
    assert "TASK_UNSUPPORTED" in "".join(texts)


def test_a_step_that_fails_has_its_output_in_the_result(attempts: Attempts, tmp_path: Path) -> None:
    """So does a COPY of what is not there, or lies outside the build folder."""
    for name, line, words in (
        ("run", "RUN echo why it failed && exit 7", "why it failed"),
        ("copy", "COPY missing.txt /app/", "no such file"),
        ("outside", "COPY ../task.toml /app/", "no such file"),
    ):
        attempts.start(name, _task(tmp_path / name, f"FROM x\n{line}\n"), {"name": "oracle"})
        attempts.ends(name)
        exception = attempts.result(name)["exception_info"]
        assert exception["exception_type"] == "SandboxBuildFailedError"
        assert words in exception["exception_message"]


def test_shims_stand_in_for_what_a_task_would_fetch(attempts: Attempts, tmp_path: Path) -> None:
    """apt-get of what is there, uv's installer and `uvx pytest` work offline; a package that is not there does not."""
    test = """#!/bin/bash
apt-get update && apt-get install -y curl bash || exit 0
apt-get install -y no-such-package-anywhere && exit 0
curl -LsSf https://astral.sh/uv/0.9.7/install.sh | sh && source $HOME/.local/bin/env || exit 0
curl -s https://example.org && exit 0
echo 'def test_it(): assert 1 + 1 == 2' > /tmp/test_it.py
uvx --with pytest==8.4.1 -w pytest-json-ctrf==0.3.5 pytest --ctrf /logs/verifier/ctrf.json /tmp/test_it.py || exit 0
echo 1 > /logs/verifier/reward.txt
"""
    job = {"environment": {**JOB["environment"], "kwargs": {"shims": True}}}  # type: ignore[dict-item]
    attempts.start("att", _task(tmp_path / "task", "FROM x\nWORKDIR /app\n", test=test), {"name": "nop"}, job=job)
    attempts.ends("att")
    log = attempts.folder / "att" / "att" / "verifier" / "test-stdout.txt"
    assert read_result(attempts.result_file("att").read_bytes(), "reward").reward == 1.0, log.read_text(encoding="utf-8")
