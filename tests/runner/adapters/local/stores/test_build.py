"""The build: every line of code that a worker starts from is in its digest, and nothing else is."""

from pathlib import Path

from runner.adapters.local.stores.build import build_digest


def some_checkout(root: Path, name: str, code: str = "x = 1\n") -> Path:
    """Write a small checkout."""
    for package in ("runner", "shared", "tests"):
        (root / name / package).mkdir(parents=True)
        (root / name / package / "a.py").write_text("a = 1\n")
    (root / name / "runner" / "b.py").write_text(code)
    (root / name / "uv.lock").write_text("lock\n")
    return root / name


def test_equal_code_is_one_build(tmp_path: Path) -> None:
    """Wherever it lies."""
    assert build_digest(some_checkout(tmp_path, "one")) == build_digest(some_checkout(tmp_path, "other"))


def test_changed_code_or_a_changed_lock_is_another_build(tmp_path: Path) -> None:
    """A changed test is not."""
    first = build_digest(some_checkout(tmp_path, "first"))
    assert build_digest(some_checkout(tmp_path, "code", "x = 2\n")) != first
    lock = some_checkout(tmp_path, "lock")
    (lock / "uv.lock").write_text("other\n")
    assert build_digest(lock) != first
    test = some_checkout(tmp_path, "test")
    (test / "tests" / "a.py").write_text("a = 2\n")
    assert build_digest(test) == first
