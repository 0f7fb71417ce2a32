"""What the published files of a folder say of every cell, recomputed with pyarrow alone, for the tests of choosing."""

import math
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shared.statistics.cells import TaskSum, task_sum
from tests.space.publishing import CATALOG, all_rows
from tests.space.works import DATASET

type Facts = dict[str, "Fact"]


@dataclass(frozen=True)
class Fact:
    """One cell with its trials, its catalog record and its run."""

    row: dict[str, Any]
    trials: list[dict[str, Any]]
    record: dict[str, Any]
    run: dict[str, Any]

    @property
    def name(self) -> tuple[str, str, str]:
        """Model, agent, deployment."""
        return self.row["model_repo"], self.row["agent_name"], self.row["deployment_id"]

    @property
    def stands(self) -> bool:
        """Whether the catalog still publishes it."""
        return bool(self.record["record"] in {"published", "restored"})

    @property
    def is_rankable(self) -> bool:
        """Whether it may be ranked at all: complete, standing, at most 5% lost."""
        lost = sum(trial["outcome"] == "infrastructure_exhausted" for trial in self.trials)
        return self.stands and self.row["kind"] == "complete" and 20 * lost <= len(self.trials)

    @property
    def tasks(self) -> dict[str, TaskSum]:
        """Its tasks by name and digest."""
        by_task: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for trial in self.trials:
            by_task[f"{trial['task_name']}@{trial['task_digest']}"].append(trial)
        return {
            name: task_sum([each["reward"] or 0.0 for each in own], sum(bool(each["passed"]) for each in own))
            for name, own in by_task.items()
        }

    @property
    def score(self) -> float:
        """Sum of rewards over planned trials."""
        return math.fsum(trial["reward"] or 0.0 for trial in self.trials) / len(self.trials)

    @property
    def passed(self) -> int:
        """Trials that reached the threshold."""
        return sum(bool(trial["passed"]) for trial in self.trials)

    @property
    def cost(self) -> int | None:
        """What all trials cost, None unless each reported it."""
        costs = [trial["cost_usd_micros"] for trial in self.trials]
        return None if None in costs else sum(costs)


def read_facts(root: Path) -> Facts:
    """Return every published cell of the folder `works` by its id."""
    trials: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in all_rows(root, "trials", DATASET):
        trials[row["cell_id"]].append(row)
    records = {row["cell_id"]: row for row in sorted(all_rows(root, "catalog", CATALOG), key=lambda row: row["sequence"])}
    runs = {row["run_id"]: row for row in all_rows(root, "runs", DATASET)}
    return {
        row["cell_id"]: Fact(row, trials[row["cell_id"]], records[row["cell_id"]], runs[row["run_id"]])
        for row in all_rows(root, "cells", DATASET)
    }


def main_edition(facts: Facts) -> str:
    """Return the edition with most cells."""
    editions = [fact.row["edition"] for fact in facts.values()]
    return str(max(editions, key=editions.count))


def newest(facts: Facts) -> Facts:
    """Return what a list shows of `facts`: of the standing reruns the newest; all that do not stand."""
    last: dict[str, str] = {}
    for cell_id, fact in sorted(facts.items(), key=lambda pair: pair[1].row["completed_at"]):
        if fact.stands:
            last[fact.row["cell_digest"]] = cell_id
    return {key: fact for key, fact in facts.items() if not fact.stands or last[fact.row["cell_digest"]] == key}


def one(facts: Facts, model: str, agent: str, deployment: str = "server", *, repeats: int = 2) -> Fact:
    """Return the newest cell of that name."""
    found = [
        fact for fact in facts.values() if fact.name == (f"example/{model}", agent, deployment) and fact.row["repeats"] == repeats
    ]
    return max(found, key=lambda fact: fact.row["completed_at"])
