"""Many visitors at once who ask for the worst: the Space stays alive, and each gets rows, a refusal with a code, or a page."""

from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import httpx
import pytest

VISITORS = 100
WORST = [
    "/api/v1/cells?per_page=200&q=" + quote("%_' OR 1=1 --"),
    "/api/v1/leaderboard?per_page=200&reruns=all&sort=tokens&dir=asc&q=e",
    "/api/v1/matrix?per_page=200",
    "/api/v1/trials?per_page=200&page=999999",
    "/api/v1/failures",
    "/api/v1/cells?format=parquet&models=" + ",".join(f"example/model-{number}" for number in range(9)),
    "/api/v1/leaderboard?revision=1",
    "/?format=csv&reruns=all",
]


@pytest.fixture(scope="module")
def found(works_server: str) -> tuple[list[int], list[int]]:
    """What `/healthz` answered while a hundred visitors asked, and what they were answered."""
    limits = httpx.Limits(max_connections=VISITORS + 1)
    with httpx.Client(base_url=works_server, timeout=60, limits=limits) as client, ThreadPoolExecutor(VISITORS) as pool:
        asked = [pool.submit(client.get, WORST[number % len(WORST)]) for number in range(VISITORS)]
        alive = [client.get("/healthz").status_code]
        while not all(each.done() for each in asked):
            alive.append(client.get("/healthz").status_code)
        return alive, [each.result().status_code for each in asked]


def test_the_process_answers_while_a_hundred_visitors_ask_for_the_worst(found: tuple[list[int], list[int]]) -> None:
    """`/healthz` each time it was asked."""
    assert set(found[0]) == {200}


def test_a_hundred_visitors_get_rows_or_are_told_to_come_again(found: tuple[list[int], list[int]]) -> None:
    """No answer is a failure of ours."""
    assert set(found[1]) <= {200, 503}
    assert 200 in found[1]
