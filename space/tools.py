"""The tools that an assistant may call over MCP: the lists of the API, one cell, its provenance, the choice. None writes.

A tool's name is its function's, its description the docstring, its answer the API's own document with at most 200 rows; an error
is {error: {code, message, field, way_out}}, so an assistant reads what to do next.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final
from urllib.parse import quote, urlencode

import gradio as gr

from shared.errors import SeawallError
from space.exports.asked import Asked, read_asked
from space.exports.choosing import choice_answer
from space.exports.formats import Exported
from space.exports.problems import problem_of, unexpected
from space.exports.routes import ROOT, plan_for_api
from space.readers.mirror import Mirror
from space.readers.refresh import Refresh

MAX_ROWS: Final = 200


class Tools:
    """The tools over one source; every public method is one."""

    def __init__(self, refresh: Refresh) -> None:
        self._refresh = refresh

    def list_benchmarks(self) -> str:
        """List the published benchmarks, published last first, with how many cells, models and agents each has."""
        return self._list("benchmarks")

    def leaderboard(  # noqa: PLR0917 - Gradio calls by position what the caller gave by name
        self, benchmark: str = "", edition: str = "", models: str = "", agents: str = "", sort: str = "score", page: int = 1
    ) -> str:
        """List the cells of one edition of a benchmark, ranked ones first, each with score, interval, rank range, cost and time.

        A rank is a range: cells whose ranges overlap are not told apart by the tests. Scores of different editions or benchmarks
        must not be compared or averaged.

        Args:
            benchmark: a published benchmark; without it the one published last
            edition: beginning of an edition's digest; without it the newest edition with most cells
            models: model repositories to keep, apart by commas; without it all
            agents: agent names to keep, apart by commas; without it all
            sort: score, cost, pass_rate, tokens, duration or completed
            page: page of 200 cells, from 1
        """
        keys = {"benchmark": benchmark, "edition": edition, "models": models, "agents": agents, "sort": sort}
        return self._list("leaderboard", page=page, **keys)

    def cells(self, model: str = "", agent: str = "", benchmark: str = "", q: str = "", page: int = 1) -> str:
        """List cells over all benchmarks and editions, for example everything that is published of one model.

        Rows of different editions stand beside each other and must not be averaged.

        Args:
            model: one model repository, as owner/name; without it all
            agent: one agent name; without it all
            benchmark: one benchmark; without it all
            q: text that model, agent or cell id contain
            page: page of 200 cells, from 1
        """
        return self._list("cells", model=model, agent=agent, benchmark=benchmark, q=q, page=page)

    def cell(self, cell_id: str) -> str:
        """Return one cell: who was measured, score, interval, rank range, outcomes, cost, time, and why it is not ranked.

        Args:
            cell_id: the cell's id, as the lists give it
        """
        return self._one(f"cells/{_part(cell_id)}")

    def compare_cells(self, cell_ids: str) -> str:
        """Compare two to four cells pair by pair: difference with its interval, tasks won and lost, and what the tests decide.

        Cells of different editions are not subtracted; the answer then says why.

        Args:
            cell_ids: two to four cell ids, apart by commas
        """
        return self._list("compare", cells=cell_ids)

    def choose(self, benchmark: str = "", edition: str = "", max_cost: str = "") -> str:
        """Say which cell to take: those not told apart from the best by the tests, and of these the cheapest and the fastest.

        Args:
            benchmark: a published benchmark; without it the one published last
            edition: beginning of an edition's digest; without it the newest edition with most cells
            max_cost: at most so many US dollars per trial; without it whatever it costs
        """
        asked = {"benchmark": benchmark, "edition": edition, "max_cost": max_cost}
        return self._answer("choose", lambda mirror: choice_answer(_choosing(asked).view, mirror))

    def failures(self, benchmark: str = "", edition: str = "", run_id: str = "", cell_id: str = "") -> str:
        """Count how trials and attempts ended, by outcome, category, reason, phase, agent, model and deployment.

        Args:
            benchmark: a published benchmark; without it the one published last
            edition: beginning of an edition's digest; without it the newest edition with most cells
            run_id: one run instead of an edition
            cell_id: one cell instead of an edition
        """
        return self._list("failures", benchmark=benchmark, edition=edition, run_id=run_id, cell_id=cell_id)

    def trainings(self, training_id: str = "") -> str:
        """List the trainings, failed and refused ones too, with the receipt that each one's own trainer part has, or none.

        Args:
            training_id: one training; without it all
        """
        return self._list("trainings", training_id=training_id)

    def releases(self, release_id: str = "") -> str:
        """List the operations that moved, or refused to move, a serving channel, with candidate, incumbent and verdict.

        Args:
            release_id: one release; without it all
        """
        return self._list("releases", release_id=release_id)

    def provenance(self, cell_id: str) -> str:
        """Say where the score of a cell comes from: configuration, scope, evidence, publication, and the command that checks it.

        Args:
            cell_id: the cell's id, as the lists give it
        """
        return self._one(f"provenance/{_part(cell_id)}")

    def _list(self, name: str, *, page: int = 1, **keys: str) -> str:
        said = {key: value for key, value in keys.items() if value}
        return self._one(name, {**said, "page": str(page), "per_page": str(MAX_ROWS)})

    def _one(self, path: str, keys: Mapping[str, str] | None = None) -> str:
        return self._answer(path, partial(self._asked, path, keys or {}))

    def _asked(self, path: str, keys: Mapping[str, str], mirror: Mirror) -> Mapping[str, Any]:
        made = plan_for_api(ROOT + path, urlencode(keys).encode()).make(mirror, self._refresh, "")
        assert not isinstance(made, Exported)
        return made

    def _answer(self, name: str, make: Callable[[Mirror], Mapping[str, Any]]) -> str:
        """Return what `make` makes of the mirror as JSON text: Gradio would write a document of ours as Python does."""
        try:
            with self._refresh.lease() as mirror:
                found = make(mirror)
        except SeawallError as error:
            found = problem_of(error).document
        except Exception as error:  # noqa: BLE001 - an assistant gets a code, the log gets the traceback
            found = unexpected(error, name).document
        return json.dumps(found, ensure_ascii=False, allow_nan=False)


NAMES: Final = (
    "list_benchmarks",
    "leaderboard",
    "cells",
    "cell",
    "compare_cells",
    "choose",
    "failures",
    "trainings",
    "releases",
    "provenance",
)


def add_tools(refresh: Refresh) -> None:
    """Offer every tool from the Gradio app that is being laid out."""
    tools = Tools(refresh)
    for name in NAMES:
        gr.api(getattr(tools, name), api_name=name, queue=False)


def _choosing(asked: Mapping[str, str]) -> Asked:
    return read_asked("", urlencode({key: value for key, value in asked.items() if value}), set(asked))


def _part(text: str) -> str:
    return quote(text, safe="")
