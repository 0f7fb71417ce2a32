"""Tests of profiles: pinned by digest, put in whole, provenance only."""

import dataclasses
import json

import pytest

from shared.documents.experiment.reader import read_manifest
from shared.documents.reviewed.profile import Profile, pin_profile, profile_bodies
from shared.errors import BadInput
from shared.planning.plan import plan
from tests.builders.experiments import encode, make_inputs, read, small_tree, some_prices


def model_profile() -> Profile:
    body = small_tree()["matrix"]["models"][0]
    return pin_profile(json.dumps({"name": "small", "kind": "model", "body": body}).encode())


def test_a_used_profile_gives_the_same_experiment_as_its_values() -> None:
    """Whether a model is written out or used, the experiment is equal; the reference is kept as provenance."""
    profile, tree = model_profile(), small_tree()
    tree["matrix"]["models"] = [{"use": profile.reference}]
    found = read_manifest(encode(tree), profile_bodies({profile.reference: profile}))
    assert found.experiment == read(small_tree())
    assert found.profiles == (profile.reference,)


def test_a_reference_that_is_not_the_digest_is_refused() -> None:
    """A changed document does not pass under the old name."""
    profile = model_profile()
    changed = profile.model_copy(update={"body": {**profile.body, "repo": "example/other"}})
    with pytest.raises(BadInput, match="PROFILE_INVALID"):
        profile_bodies({profile.reference: changed})


def test_a_profile_of_another_kind_is_refused() -> None:
    """A model is no agent."""
    profile, tree = model_profile(), small_tree()
    tree["matrix"]["agents"] = [{"use": profile.reference}]
    with pytest.raises(BadInput, match="PROFILE_KIND") as caught:
        read_manifest(encode(tree), profile_bodies({profile.reference: profile}))
    assert caught.value.field == "matrix.agents[0].use"


def test_a_fault_of_a_body_is_found_when_it_is_pinned() -> None:
    """A profile follows the rules of the entry that it stands for."""
    body = {**small_tree()["matrix"]["models"][0], "revision": "main"}
    with pytest.raises(BadInput, match="PROFILE_INVALID") as caught:
        pin_profile(json.dumps({"name": "small", "kind": "model", "body": body}).encode())
    assert caught.value.field == "body.revision"


def test_equal_values_written_differently_pin_the_same_profile() -> None:
    """The order of keys, and "1.250" for "1.25", make no other profile."""
    policy = small_tree()["policy"]
    other = dict(reversed(policy.items())) | {"estimate": {"headroom": "1.250", "trial_seconds": 60}}
    pinned = [pin_profile(json.dumps({"name": "p", "kind": "limits", "body": body}).encode()) for body in (policy, other)]
    assert pinned[0].reference == pinned[1].reference


def test_the_reference_is_in_the_plan_and_in_no_cell() -> None:
    """A profile is provenance: the plan that used it differs, its cells do not."""
    experiment, inputs = read(small_tree()), make_inputs(small_tree())
    one = plan(experiment, inputs, some_prices())
    other = plan(experiment, dataclasses.replace(inputs, profiles=("small@sha256:" + "0" * 64,)), some_prices())
    assert one.digest != other.digest
    assert one.head.cells == other.head.cells
