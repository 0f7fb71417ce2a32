"""What the page about says: methods, the choice, what a stranger can check, how to get a model on.

Paragraphs stand apart by blank lines; each may begin with a name and a bar.
"""

from typing import Final

METHODS: Final = """
Score.| The sum of rewards divided by the number of planned trials. A trial without a scored outcome adds 0 and stays in the
denominator, so a failed, lost or unfinished trial never makes a score better.

Edition.| Only cells of one edition stand in one list: same benchmark and tasks, repeats, reward and threshold, time limits
and kind of sandbox. Scores of different editions or benchmarks are never averaged or mixed.

Interval.| A 95% Wilson interval on the effective number of observations: repeats of one task resemble each other, so their
spread over the tasks decides how much each trial says. It covers task sampling and rerun noise. With fewer than two tasks
there is none.

Infrastructure bounds.| Where trials were lost to infrastructure after all retries, two numbers say what the score would be
had all of them failed, or passed. Above 5% lost a cell is listed and not ranked.

Rank.| A range, such as 4-9: three cells are significantly better, so it is fourth at best; enough are significantly worse that
it is ninth at worst. Cells are compared pair by pair on the tasks that both have, by exact McNemar or a paired t test; all
pairs of an edition are decided together at a false discovery rate of 5%. Filters and order never move a rank.

Cost and tokens.| Sums over every attempt, retries included, in US dollars at the prices of the run's price document. If one
attempt did not report a value, the sum reads not reported: a partial sum would look like a total, and nothing unreported is
shown as 0.

Tasks.| Solve rates leave out Harbor's own agents: oracle plays back the reference solution, nop does nothing. They say whether a
task can be solved at all. No page shows the text of a task.

Withheld.| These pages recompute every score, count and interval from the published trials. A cell that disagrees with its own
trials stays listed with the reason, without its numbers.
"""
CHOICE: Final = """
Which cells.| Those of an edition that are not significantly worse than the cell with the highest score, by the same tests that
make the ranks. They may all be as good; which of them leads in this list may be chance.

Cheapest.| Of these, the lowest cost of a planned trial, all attempts and retries included, at the date of its price document. A
cell that did not report its cost cannot be the cheapest and is named.

Fastest.| Of these, the lowest median duration of a trial. Speed hangs on hardware, provider and how many trials ran at once; the
list shows these.

Never.| Oracle and nop are nobody's choice. Lines that are partial, composite or manual, and those that lost more than 5% of
their trials, are not among the cells.

Filters.| Where a filter or a limit of the cost per trial is set, the choice is among the ranked cells that match, against the
best of these, and says so. The tests are those of all cells of the edition, and no rank moves.
"""
VERIFY: Final = """
What a stranger can check:| the arithmetic, row and table digests, the receipt's signature against the published trust policy,
and the chain of digests to the published run lock and the evidence statement of each trial {bundle digest, reward, outcome,
sizes}. Unsigned is printed where no key signed.

What needs access:| the evidence bytes themselves: logs, sessions, files that an agent wrote. They are private, and their digests
are published, so they cannot be exchanged later.

How:| every cell page gives the command for its own row. The commands are given in a checkout of the program; where it is had
stands under How to get a model on here. The first command below recomputes everything that was published on the own machine,
the second one row of any copy, the third re-hashes the evidence of a run for who has it.
"""
COMMANDS: Final = (
    ("Command that recomputes everything published on this machine", (".venv/bin/python -m runner results audit",)),
    ("Command that checks one row", (".venv/bin/python -m runner results verify-row DATASET@REVISION cells CELL_ID",)),
    ("Command that re-hashes the evidence of a run", (".venv/bin/python -m runner evidence verify RUN",)),
)
MODEL: Final = """
On your own machine, without an account.| Any model behind an OpenAI-compatible server will do, one on a laptop too. Name it
in SEAWALL_SERVERS, take it up in a manifest, plan, submit and reconcile, step by step below: the results go into a folder of
yours, and this same app shows them. Local runs say so and are ranked among those of the same machine's software alone.

Results that you already have.| Finished jobs of Harbor, made anywhere, are imported with their evidence. They are listed as
manual, with who brought them in and why, and never ranked: nobody here saw them run. --dry-run writes nothing.

By request.| Where this Space takes requests, the page Request asks for benchmark, model, agent and a ceiling of cost, shows what
it would cost before anything runs, and asks you again before a result becomes public.

On this leaderboard, without that.| Whoever keeps it runs the manifest that you send, or imports the jobs folder that you send: a
result gets here with its evidence or not at all. A number alone is never entered.
"""
MODEL_STEPS: Final = (
    ("Get the program, as said above, and set it up.", ("make setup",)),
    ("Serve the model, and give its server a name.", ("export SEAWALL_SERVERS=mine=http://127.0.0.1:8000/v1",)),
    ("Copy a manifest, and put your model into its matrix.", ("cp benchmarks/starter-smollm2.yaml benchmarks/mine.yaml",)),
    ("See what would run and its cost; this writes nothing.", (".venv/bin/python -m runner run plan benchmarks/mine.yaml",)),
    ("Submit it, and let it run; stop and repeat the second command at will.",
     (".venv/bin/python -m runner run submit benchmarks/mine.yaml", ".venv/bin/python -m runner run reconcile --all --watch")),
    ("See the results in this same app on your machine.", ("SEAWALL_SOURCE=folder:.seawall/results .venv/bin/python app.py",)),
)  # fmt: skip
MODEL_MANIFEST: Final = """\
matrix:
  models:
    - {id: my-model, repo: OWNER/NAME, revision: COMMIT, weights: {format: safetensors}}
  deployments:
    - {id: mine, kind: server, server: mine, api: chat_completions, served_model: NAME,
       context_tokens: 8192, max_output_tokens: 512, request_concurrency: 2}
  agents:
    - {id: bash-loop, revision: 1.0.0, revision_kind: package,
       agent: {import_path: "runner.agents.bash_loop.agent:BashLoop", kwargs: {max_turns: 6}}}
  include:
    - {deployment: mine, agent: bash-loop}
"""
MODEL_COMMANDS: Final = (
    (
        "Commands that import finished jobs",
        (
            ".venv/bin/python -m runner results import JOBS_DIR --benchmark NAME --reason TEXT --dry-run",
            ".venv/bin/python -m runner results import JOBS_DIR --benchmark NAME --reason TEXT",
        ),
    ),
)
LISTS: Final = """
For programs.| Each list has one path, without an account: the same rows in the same order as on the pages, as JSON, or with
?format=csv, parquet, md or sql. The keys are those of a page's own address, so a link to a page tells how to ask for its rows;
compare wants cells, and history a cell_id.

For assistants.| The same lists are tools over MCP: list_benchmarks, leaderboard, cells, cell, compare_cells, choose, failures,
trainings, releases and provenance. No tool writes anything.

To keep.| The permanent link below each page carries the revision: it shows the same numbers for ever.
"""
