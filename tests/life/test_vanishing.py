"""Synapses that a rule lets fade end at 0, in the kernels as in their twin."""

from __future__ import annotations

import numpy as np
import pytest

import naive_foraging
from hebbarium.brains.network_files import Networks
from hebbarium.brains.plain import TINY
from hebbarium.life.batch import Batch
from hebbarium.life.jobs import Jobs
from hebbarium.rules.layered import read_rule
from hebbarium.rules.rule import Rule
from hebbarium.worlds.foraging import Foraging
from hebbarium.worlds.registry import make_world
from lives import batch_of

TASK = Foraging(season_steps=2500, seasons=2)
FADING = [Rule("+00+/++--", 0.5), Rule("-00+/-+--", 0.5), Rule("00-0/0---", 0.6), Rule("+00+/0000", 0.7)]
"""The last one changes weights on punishment only, so its lives run alone; the others run eight at a time."""


@pytest.fixture(scope="module", params=FADING, ids=str)
def lived(request) -> tuple[Rule, Batch]:
    batch = batch_of(TASK, 6, Jobs.of_rule(request.param, 3, seed=5))
    batch.live()
    return request.param, batch


def test_no_weight_is_left_where_processors_crawl(lived):
    _, batch = lived
    weights = np.abs(np.concatenate([batch.brains.hidden.ravel(), batch.brains.output.ravel()]))
    assert (weights == 0).any()
    assert not ((weights > 0) & (weights <= TINY)).any()


def test_the_twin_agrees_to_the_last_bit(lived):
    rule, batch = lived
    twin = naive_foraging.live(TASK, 6, rule.entries, rule.eta, 5, 1)
    assert batch.counts[:, 1].tolist() == twin.counts
    assert batch.networks().hidden[1].tobytes() == np.array(twin.hidden).tobytes()
    assert batch.networks().output[1].tobytes() == np.array(twin.output).tobytes()


@pytest.mark.parametrize("given", [1e-170, -0.0])
@pytest.mark.parametrize(
    ("task", "rule"),
    [
        ("foraging", "0000/+-0-@0.01"),
        ("foraging", "frozen,0000/+-0-@0.01"),
        ("foraging", "+-0-/0000@0.01"),
        ("t-maze", "0000/+-0-@0.01"),
        ("prey-predator", "0000/+-0-@0.01"),
    ],
)
def test_a_life_that_does_not_learn_keeps_its_tiny_weights_while_others_learn(task, rule, given):
    """Networks that are given may have weights that no network gets to by itself."""
    world = make_world(task, season_steps=60, seasons=2)
    jobs = Jobs.of_rule(read_rule(rule), 16, seed=3)
    born = batch_of(world, 6, jobs).networks()
    layers = [layer.copy() for layer in born.layers]
    for layer in layers:
        layer[::2] *= given
    networks = Networks(world.name, *layers)
    fast, slow = (batch_of(world, 6, jobs, networks, fast=quick) for quick in (True, False))
    fast.advance(world.steps)
    slow.advance(world.steps)
    assert fast.accelerations
    assert np.array_equal(fast.counts, slow.counts)
    for ours, theirs in zip(fast.networks().layers, slow.networks().layers, strict=True):
        assert ours.tobytes() == theirs.tobytes()
