"""Lives whose hidden layer is frozen are lived by a loop of their own, to the bits of the twin and the generic loop."""

from __future__ import annotations

import random

import numpy as np
import pytest

import naive_wider
from hebbarium.brains.base import Brain
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
