"""Lives whose hidden layer is frozen are lived by a loop of their own, to the bits of the twin and the generic loop."""

from __future__ import annotations

import random

import numpy as np
import pytest

import naive_wider
from hebbarium.brains.base import Brain
from hebbarium.brains.network_files import Networks
from hebbarium.life.batch import Batch
from hebbarium.life.fast.foraging_frozen_in_lanes import advance_foraging_frozen
from hebbarium.life.jobs import Jobs
from hebbarium.rules.layered import LayeredRule
from hebbarium.rules.rule import Rule
from hebbarium.worlds.foraging import Foraging

LIVES = 19
"""Two full groups of lanes and some left over."""


def _rule(chance: random.Random) -> Rule:
    halves = [[chance.choice([-1, 0, 1]) for _ in range(4)] if chance.random() < 0.8 else [0] * 4 for _ in range(2)]
    return Rule([*halves[0], *halves[1]], chance.choice([0.0, 0.001, 0.04, 0.3, chance.random()]))


@pytest.mark.parametrize("hidden", [1, 7, 8, 20, 63])
def test_lives_with_a_frozen_hidden_layer_are_their_twins(hidden: int) -> None:
    chance = random.Random(hidden)
    world = Foraging(
        grid_size=chance.choice([7, 12, 70]),
        green=9,
        blue=9,
        priority=chance.choice(["entered", "items"]),
        random_action=chance.choice([0, 0.02, 0.3]),
        season_steps=130,
        seasons=3,
    )
    rules = [_rule(chance) for _ in range(LIVES)]
    jobs = Jobs.of([LayeredRule(None, rule) for rule in rules], [3] * LIVES, range(LIVES))
    fast, slow = (Batch(world, Brain.of(world, hidden), jobs, fast=quick) for quick in (True, False))
    assert advance_foraging_frozen in dict(fast.accelerations)
    while fast.step < world.steps:
        fast.advance(chance.choice([1, 40, 100]))
    slow.advance(world.steps)
    assert np.array_equal(fast.counts, slow.counts)
    assert np.array_equal(fast.brains.punished, slow.brains.punished)
    assert fast.brains.output.tobytes() == slow.brains.output.tobytes()
    networks = fast.networks()
    for life in (0, 8, LIVES - 1):
        nature = naive_wider.Nature(((0,) * 8, rules[life].entries), (0.0, rules[life].eta or 0.0), hidden)
        twin = naive_wider.live(world, nature, 3, life)
        assert fast.counts[:, life].tolist() == twin.counts
        assert networks.hidden[life].tobytes() == np.array(twin.hidden).tobytes()
        assert networks.output[life].tobytes() == np.array(twin.output).tobytes()


def test_a_hidden_layer_that_thaws_changes_the_loop() -> None:
    world = Foraging(season_steps=200, seasons=1)
    frozen, plastic = LayeredRule(None, "foraging:6"), LayeredRule("foraging:6", "foraging:6")
    batches = [Batch(world, Brain.of(world), Jobs.of_rule(frozen, 3, 5), fast=fast) for fast in (True, False)]
    for batch in batches:
        batch.advance(80)
        jobs = Jobs.of_rule(plastic, 3, 5)
        batch.set_rules(jobs.entries, jobs.eta)
        batch.advance(120)
    assert advance_foraging_frozen not in dict(batches[0].accelerations)
    assert np.array_equal(batches[0].counts, batches[1].counts)
    assert batches[0].brains.hidden.tobytes() == batches[1].brains.hidden.tobytes()


@pytest.mark.parametrize("where", ["everywhere", "on the right"])
@pytest.mark.parametrize("hidden", [3, 20, 200])
@pytest.mark.parametrize("rule", ["000-/0000", "+-0+/0000", "000-/00-+"])
def test_outputs_whose_sums_are_nearly_the_same_are_told_apart(rule: str, hidden: int, where: str) -> None:
    """Loops that follow sums instead of making them must notice a close race."""
    world, lives = Foraging(season_steps=400, seasons=2, green=80, blue=80), 96
    jobs = Jobs.of_rule(LayeredRule(None, Rule(rule, 0.25)), lives, 3)
    brain = Brain.of(world, hidden)
    first = Batch(world, brain, jobs).networks().hidden.copy()
    chance = np.random.default_rng(hidden)
    second = np.repeat(chance.choice([-0.75, -0.5, 0.5], (lives, 1, hidden + 1)), 3, axis=1)
    second *= 1 + chance.choice([0, 2.0**-52, 2.0**-51], second.shape)
    if where == "on the right":  # Two neurons tell outputs apart, unless there is an item on the right.
        first[:, :2] = [[0, 0, 0, 0, -1, -1, 0.5], [0, 0, 0, 0, 0.6, 0.6, -0.9]]
        second[:, :, :2] = [[[8, 8], [1, -5], [-5, 1]]]
    networks = Networks(world.name, first, second)
    fast, slow = (Batch(world, brain, jobs, networks, fast=quick) for quick in (True, False))
    fast.advance(world.steps)
    slow.advance(world.steps)
    assert np.array_equal(fast.counts, slow.counts)
    assert fast.brains.output.tobytes() == slow.brains.output.tobytes()
