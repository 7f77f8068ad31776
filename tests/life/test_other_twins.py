"""The T-maze and the association world against their slow twins, bit for bit, on a hundred generated cases each."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hebbarium.life.jobs import Jobs
from hebbarium.rules.rule import Rule
from hebbarium.worlds.association import AssociationWorld
from hebbarium.worlds.base import World
from hebbarium.worlds.t_maze import TMaze
from lives import batch_of, traced
from naive_association import live_association
from naive_life import Life
from naive_t_maze import live_t_maze

CASES, PARTS, COMPANY = 100, 4, 3


def t_maze(chance: random.Random, **life: Any) -> TMaze:
    return TMaze(
        corridor=chance.choice([1, 1, 2, 3, 7]),
        arm=chance.choice([1, 1, 2, 5]),
        maze=chance.choice(["single", "double"]),
        bumps=chance.choice(["punished", "punished", "ignored"]),
        schedule=chance.choice(["left,right", "right,left,left", "right"]),
        **life,
    )


def association(chance: random.Random, **life: Any) -> AssociationWorld:
    bits = chance.choice([2, 3, 6, 16, 63, 64])
    return AssociationWorld(
        bits=bits,
        answers=chance.choice([2, 3, 4, 7, 16]),
        stimuli=chance.choice([1, 2, min(8, 2**bits), min(16, 2**bits)]),
        density=chance.choice([0.0, 0.1, 0.5, 0.5, 0.9, 1.0]),
        overlap=chance.choice([0.0, 0.0, 0.5, 1.0]),
        **life,
    )


Twin = Callable[..., Life]
WORLDS: dict[str, tuple[Callable[..., World], Twin]] = {
    "t-maze": (t_maze, live_t_maze),
    "association": (association, live_association),
}


def rule_of(chance: random.Random) -> Rule:
    halves = [[chance.choice([-1, 0, 1]) for _ in range(4)] if chance.random() < 0.8 else [0] * 4 for _ in range(2)]
    return Rule([*halves[0], *halves[1]], chance.choice([0.001, 0.0375, 0.1, 0.5, chance.random()]))


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", WORLDS)
def test_lives_are_their_twins_lives(name: str, part: int) -> None:
    make, live = WORLDS[name]
    for number in range(part, CASES, PARTS):
        chance = random.Random(number)
        season_steps = chance.choice([1, 60, 97, 300])
        life = {"season_steps": season_steps, "seasons": -(-500 // season_steps)}
        world = make(chance, random_action=chance.choice([0.0, 0.02, 0.1, 0.5, 1.0]), **life)
        hidden = chance.choice([1, 3, 8, 13, 20])
        rules = [rule_of(chance) for _ in range(1 + COMPANY)]
        seeds = [chance.choice([0, 1, 7, 2**64 - 1, chance.getrandbits(64)]) for _ in rules]
        trials = [chance.choice([0, 1, 1000, chance.getrandbits(40)]) for _ in rules]
        row = chance.randrange(len(rules))
        twin = live(world, hidden, (rules[row].entries, rules[row].eta), seeds[row], trials[row])
        together = batch_of(world, hidden, Jobs.of(rules, seeds, trials))
        together.advance(world.steps)
        assert together.counts[:, row].tolist() == twin.counts, number
        networks = together.networks()
        assert networks.hidden[row].tobytes() == np.array(twin.hidden).tobytes(), number
        assert networks.output[row].tobytes() == np.array(twin.output).tobytes(), number
        alone = batch_of(world, hidden, Jobs.of([rules[row]], [seeds[row]], [trials[row]]))
        for column, values in traced(alone).columns().items():
            expected = np.array([getattr(step, column) for step in twin.steps], values.dtype)
            assert np.array_equal(values, expected), (number, column)
        assert np.array_equal(alone.counts[:, 0], together.counts[:, row]), number
