"""The verbs of offers: what requesters may choose from."""

import argparse
from pathlib import Path
from typing import Final

from runner.bootstrap import build
from runner.cli.answer import Answer, Verb, no_arguments
from runner.cli.manifest_file import read_manifest_file
from runner.usecases.requests.make_offer import Titled, build_offer, make_offer, take_offer_back
from runner.usecases.runs.plan_run import plan_run
from shared.documents.reviewed.offer import Offer
from shared.errors import BadInput
from shared.ids import is_name
from shared.inbox.offers import OFFER
from shared.planning.requested import offered_ids
from shared.plural import counted

MAX_TITLE: Final = 200
"""What an offer can say (shared/documents/reviewed/offer.py)."""


def _offer_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("manifest", type=Path, metavar="MANIFEST", help="an experiment manifest (YAML) without matrix rules")
    parser.add_argument("--name", default="", metavar="N", help="what the offer is called; default: the experiment's name")
    parser.add_argument("--title", default="", metavar="T", help="how people read it; default: its name")
    parser.add_argument("--dry-run", action="store_true", help="plan everything that could be chosen, write nothing")


def _name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the offer's name")


def offer(found: argparse.Namespace) -> Answer:
    """Offer a manifest."""
    if not found.title.isprintable() or len(found.title) > MAX_TITLE:
        raise BadInput(
            "ARGUMENT_INVALID",
            f"expected at most {MAX_TITLE} printable characters",
            field="--title",
            way_out="See `request offer --help`.",
        )
    house = build()
    data = read_manifest_file(found.manifest)
    planned = plan_run(data, found.manifest.parent, house.plan_world())
    name = found.name or planned.experiment.metadata.name
    if not is_name(name):
        raise BadInput(
            "ARGUMENT_INVALID",
            "expected small letters, digits and hyphens",
            field="--name",
            way_out="See `request offer --help`.",
        )
    titled, world = Titled(name, found.title or name), house.offer_world()
    if found.dry_run:
        made = build_offer(planned, data, "0" * 64, titled, world)
        return Answer(lines=[*_lines(made), "dry run: nothing was offered"], result=_result(made))
    made = make_offer(planned, data, found.manifest.parent, titled, world)
    return Answer(
        lines=[f"offered {name} as {made.digest}", *_lines(made)], ids={"offer_sha256": made.digest}, result=_result(made)
    )


def offers(_found: argparse.Namespace) -> Answer:
    """List what is offered."""
    stored = sorted(build().status.list().items())
    documents = [Offer.from_bytes(each.data) for subject, each in stored if subject.type == OFFER and each.data]
    lines = [line for each in documents for line in _lines(each)]
    return Answer(lines=lines or ["nothing is offered"], result=[_result(each) for each in documents])


def take_back(found: argparse.Namespace) -> Answer:
    """Take an offer back."""
    take_offer_back(found.name, build().offer_world())
    return Answer(message=f"{found.name} is offered no more")


def _lines(document: Offer) -> list[str]:
    models, agents = offered_ids(document)
    tasks = counted(len(document.tasks), "task")
    return [f"{document.name}: {document.title}, {tasks}; models {', '.join(models)}; agents {', '.join(agents)}"]


def _result(document: Offer) -> dict[str, object]:
    models, agents = offered_ids(document)
    return {"name": document.name, "title": document.title, "sha256": document.digest, "models": models, "agents": agents}


OFFERS = (
    Verb("offer", "let requesters choose from a manifest", "request offer benchmarks/starter.yaml", _offer_arguments, offer),
    Verb("offers", "list what is offered", "request offers", no_arguments, offers),
    Verb("unoffer", "offer it no more", "request unoffer starter", _name, take_back),
)
