import pytest

from runner.harness.environments.dockerfile import Copy, Env, Run, Workdir, expand, parse_dockerfile
from shared.errors import BadInput


def test_the_carried_out_part_is_read_in_order() -> None:
    """Comments, continuations and case do not matter; FROM is recorded."""
    text = (
        "# a comment\nfrom debian:12-slim\nWORKDIR /app\nenv A=1 B='two words'\nENV OLD style value\nARG VERSION=3\n"
        "COPY --chmod=755 a.sh b.sh ./\nADD data.tar.gz /srv/\nRUN apt-get update \\\n  # why\n  && true\n"
        'RUN ["echo", "hi"]\nCMD bash\nLABEL a=b\n'
    )
    build = parse_dockerfile(text)
    assert build.base == "debian:12-slim"
    assert build.instructions == (
        Workdir("/app"),
        Env((("A", "1"), ("B", "two words")), is_argument=False),
        Env((("OLD", "style value"),), is_argument=False),
        Env((("VERSION", "3"),), is_argument=True),
        Copy(("a.sh", "b.sh"), "./", "755", unpacks=False),
        Copy(("data.tar.gz",), "/srv/", None, unpacks=True),
        Run(("/bin/sh", "-c", "apt-get update && true")),
        Run(("echo", "hi")),
    )


def test_a_here_document_is_one_command() -> None:
    """RUN with a here-document runs its body."""
    build = parse_dockerfile("FROM x\nRUN <<EOF\necho one\necho two\nEOF\nWORKDIR /app\n")
    assert build.instructions == (Run(("/bin/sh", "-c", "echo one\necho two")), Workdir("/app"))


@pytest.mark.parametrize(
    "line",
    [
        "USER agent", "VOLUME /data", "ENTRYPOINT ./run", "HEALTHCHECK CMD true", 'SHELL ["bash"]', "ONBUILD RUN true",
        "FROM second", "COPY --from=build /a /b", "COPY --chown=1000 a b", "ADD https://example.org/a /a",
        "ADD git@example.org:a /a", "COPY only", "COPY <<EOF /a", "RUN --mount=type=secret,id=a true", "RUN --network=host true",
        "STOPSIGNAL 9", "NONSENSE",
    ],
)  # fmt: skip
def test_anything_else_is_refused_with_its_line(line: str) -> None:
    """What a local sandbox cannot carry out is said before anything starts."""
    with pytest.raises(BadInput) as caught:
        parse_dockerfile(f"FROM x\nWORKDIR /app\n{line}\n")
    assert (caught.value.code, caught.value.field) == ("TASK_UNSUPPORTED", "environment/Dockerfile:3")


def test_variables_are_replaced_as_docker_does() -> None:
    """Defaults, alternatives, escapes and unknown names."""
    assert expand("$A ${A} ${B:-b} ${A:+yes} ${B:+no} \\$A $C", {"A": "1"}) == "1 1 b yes  $A "
