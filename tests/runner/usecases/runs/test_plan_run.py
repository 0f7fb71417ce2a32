"""Tests of planning a run: the manifest, the folder and Harbor's own parser together."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from runner.adapters.local.compute.harness import LocalHarnessCheck
from runner.adapters.local.stores.objects import LocalObjects
from runner.adapters.local.stores.sources import LocalSources
from runner.agents.definition import AgentDefinition
from runner.ports.compute.harness import FieldProblem, HarnessCheck, HarnessCheckResult
from runner.usecases.runs.plan_run import World, keep_source, lock_run, plan_run
from shared.digests import Digest, Json, sha256
from shared.documents.reviewed.prices import no_prices
from shared.errors import BadInput, Refused, SeawallError
from shared.ids import RunId
from tests.builders.experiments import Tree, changed, encode, small_tree, some_prices
from tests.doubles.harness import ScriptedCheck

ROOT = Path(__file__).parents[4]
RUN = RunId("run-" + "0" * 32)

SHELL = AgentDefinition("shell", "1.0.0", "runner.agents.shell.agent:ShellAgent", "chat_completions", frozenset({"max_turns"}))


def some_place(root: Path, folder: str = "starter") -> Path:
    for name in ("one", "two"):
        (root / folder / name).mkdir(parents=True)
        (root / folder / name / "task.toml").write_text(f"# {name}\n")
    return root


def world(root: Path, check: HarnessCheck | None = None) -> World:
    sources = LocalSources(LocalObjects(root / "objects"), root / "scratch")
    return World(sources, check or ScriptedCheck(), some_prices(), {}, agents={SHELL.import_path: SHELL})


def refusal(tree: Tree, place: Path, check: HarnessCheck) -> SeawallError:
    with pytest.raises((BadInput, Refused)) as caught:
        plan_run(encode(tree), place, world(place, check))
    return caught.value


def test_planning_writes_nothing(tmp_path: Path) -> None:
    """A plan leaves no file behind."""
    place = some_place(tmp_path)
    planned = plan_run(encode(small_tree()), place, world(place))
    assert [task.name for task in planned.plan.head.tasks] == ["org/one", "org/two"]
    assert [path.name for path in tmp_path.iterdir()] == ["starter"]


def test_moving_the_source_folder_changes_the_manifest_digest_only(tmp_path: Path) -> None:
    """The operator's path is in the manifest's bytes and nowhere else."""
    place = some_place(some_place(tmp_path), "moved/here")
    one = plan_run(encode(small_tree()), place, world(place))
    other = plan_run(encode(changed(small_tree(), "benchmark.source.path", "moved/here")), place, world(place))
    assert one.plan == other.plan
    assert one.manifest_sha256 != other.manifest_sha256
    assert b"moved" not in other.plan.head_bytes()


def test_a_source_that_moved_on_after_planning_is_not_kept(tmp_path: Path) -> None:
    """Submission snapshots the folder again and compares."""
    place = some_place(tmp_path)
    here = world(place)
    planned = plan_run(encode(small_tree()), place, here)
    assert keep_source(planned, place, here.sources).lock == planned.source.lock
    (place / "starter" / "one" / "task.toml").write_text("# other\n")
    with pytest.raises(Refused, match="SOURCE_DRIFT"):
        keep_source(planned, place, here.sources)


class Meddling(ScriptedCheck):
    """A parser during whose work somebody edits a task."""

    def check(self, agents: Sequence[Mapping[str, Json]], job: Mapping[str, Json], source: Path | None) -> HarnessCheckResult:
        """Edit a task after reading it."""
        read = super().check(agents, job, source)
        assert source is not None
        (source / "one" / "task.toml").write_text("# edited\n")
        return read


def test_a_source_that_changes_during_planning_is_refused(tmp_path: Path) -> None:
    """The digests and the lock are of the same bytes."""
    assert refusal(small_tree(), some_place(tmp_path), Meddling()).code == "SOURCE_CHANGED"


@pytest.mark.parametrize(
    ("problem", "code", "field"),
    [
        (
            FieldProblem("agents[0].kwarg", "Harbor does not know this field"),
            "MANIFEST_UNKNOWN_FIELD",
            "matrix.agents[0].agent.kwarg",
        ),
        (FieldProblem("agents[0].name", "Harbor has no agent 'orakle'"), "AGENT_UNKNOWN", "matrix.agents[0].agent.name"),
        (FieldProblem("agents[0]", "no such agent"), "MANIFEST_VALUE", "matrix.agents[0].agent"),
        (FieldProblem("job.verifier.env", "not a mapping"), "MANIFEST_VALUE", "harbor.job.verifier.env"),
        (FieldProblem("one", "version missing"), "TASK_INVALID", "benchmark.source"),
    ],
)
def test_harbors_complaint_is_told_at_its_place(tmp_path: Path, problem: FieldProblem, code: str, field: str) -> None:
    """Harbor's parser is authoritative; its paths become the manifest's."""
    error = refusal(small_tree(), some_place(tmp_path), ScriptedCheck(problem))
    assert (error.code, error.field) == (code, field)


def test_a_task_that_harbor_cannot_read_is_told_with_file_and_field(tmp_path: Path) -> None:
    """And what to do."""
    error = refusal(small_tree(), some_place(tmp_path), ScriptedCheck(FieldProblem("one", "agent.timeout_sec: not a number")))
    assert error.message == "Harbor cannot read one/task.toml or what it names: agent.timeout_sec: not a number"
    assert "Correct the task" in error.way_out


def test_another_harbor_than_the_pinned_one_is_refused(tmp_path: Path) -> None:
    """The found digest is told, so that it can be pinned after review."""
    error = refusal(small_tree(), some_place(tmp_path), ScriptedCheck(lock_sha256="f" * 64))
    assert (error.code, error.field) == ("HARNESS_MISMATCH", "harbor.lock_sha256")
    assert "f" * 64 in error.message


def test_the_lock_names_plan_source_and_prices(tmp_path: Path) -> None:
    """A submission of a plan is locked by digests alone."""
    place = some_place(tmp_path)
    planned = plan_run(encode(small_tree()), place, world(place))
    build = Digest(str(planned.plan.head.runtime.build))
    lock = lock_run(planned, RUN, build, "maintainer", "2026-01-01T00:00:00Z")
    assert (lock.plan_digest, lock.manifest_sha256) == (planned.plan.digest, sha256(encode(small_tree())))
    assert lock.prices_sha256 == some_prices().digest
    with pytest.raises(Refused, match="BUILD_DRIFT"):
        lock_run(planned, RUN, Digest("f" * 64), "maintainer", "2026-01-01T00:00:00Z")


@pytest.mark.parametrize("name", ["starter", "starter-smollm2"])
def test_the_starter_pins_the_harbor_of_this_checkout(name: str) -> None:
    """The digest in the starter manifests is that of the harness environment's lock file."""
    pinned = (ROOT / "benchmarks" / f"{name}.yaml").read_text()
    assert sha256((ROOT / "runner/harness/environment/uv.lock").read_bytes()) in pinned


@pytest.mark.harness
@pytest.mark.parametrize("name", ["starter", "starter-smollm2"])
def test_the_starter_plans_with_the_real_harbor(tmp_path: Path, name: str) -> None:
    """Harbor reads the starter's agents, job and every task, and planning twice gives one digest."""
    here: dict[str, Any] = {"beside": ROOT / "benchmarks"}
    scripted = world(tmp_path)
    real = World(scripted.sources, LocalHarnessCheck(ROOT / ".venv-harness/bin/python", ROOT), no_prices(), {})
    manifest = (ROOT / "benchmarks" / f"{name}.yaml").read_bytes()
    one, other = plan_run(manifest, world=real, **here), plan_run(manifest, world=real, **here)
    assert one.plan.digest == other.plan.digest
    assert len(one.plan.head.tasks) >= 12
