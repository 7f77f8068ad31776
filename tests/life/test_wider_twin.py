"""Lives with layered rules, blame, eligibility, other biases, noise and other random actions are their twin's lives."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest

import naive_wider
from hebbarium.brains.base import BIASES, Brain
from hebbarium.executors.base import run
from hebbarium.experiment import Experiment, check_weights
from hebbarium.life.batch import Batch
from hebbarium.life.jobs import Jobs
from hebbarium.rules.layered import LayeredRule
from hebbarium.rules.rule import Rule
from hebbarium.tools.errors import BadInput
from hebbarium.worlds.foraging import Foraging
from hebbarium.worlds.registry import make_world

CASES = 200
PARTS = 8


def case(number: int) -> tuple[Experiment, naive_wider.Nature, int]:
    """An experiment, the same for the twin, and a trial."""
    chance = random.Random(number)
    size = chance.choice([6, 9, 12, 20])
    season_steps = chance.choice([97, 150, 256])
    world = Foraging(
        grid_size=size,
        green=size,
        blue=size,
        priority=chance.choice(["entered", "items"]),
        random_action=chance.choice([0, 0.02, 0.1, 0.5]),
        random_kind=chance.choice(["any", "any", "turn"]),
        random_where=chance.choice(["always", "always", "nothing-sensed"]),
        season_steps=season_steps,
        seasons=-(-600 // season_steps),
    )
    hidden = chance.choice([1, 3, 8, 13, 20])
    rules = [_rule(chance, frozen=chance.random() < 0.25), _rule(chance)]
    plainly = chance.random() < 0.3
    bias = ("plastic", "plastic") if plainly else (chance.choice(BIASES), chance.choice(BIASES))
    noise = 0.0 if plainly else chance.choice([0.0, 0.0, 0.03])
    alike = chance.random() < 0.15
    groups: tuple[str, ...] = () if plainly and chance.random() < 0.5 else world.groups
    if groups and number % 3 == 0:
        groups += tuple(str(row.id) for row in world.associations if row.id % 4)
    blame = {name: chance.choice([0.0, 0.05, -0.06, 0.5, 1.0, 3.0]) for name in groups if chance.random() < 0.5}
    reach = {name: chance.choice([0.3, 0.5, -0.2, 1.0]) for name in groups if chance.random() < 0.4}
    experiment = Experiment(
        world=world,
        brain=Brain(hidden=hidden, hidden_bias=bias[0], output_bias=bias[1], weight_noise=noise, born_alike=alike),
        rule=LayeredRule(*rules),
        lifetimes=3,
        seed=chance.choice([0, 1, 7, 2**40]),
        blame=blame,
        eligibility=reach,
    )
    nature = naive_wider.Nature(
        entries=(rules[0].entries, rules[1].entries),
        eta=(rules[0].eta or 0.0, rules[1].eta or 0.0),
        hidden=hidden,
        bias=bias,
        noise=noise,
        born_alike=alike,
        blame=blame,
        eligibility=reach,
    )
    return experiment, nature, chance.choice([0, 5, 2**30])


def _rule(chance: random.Random, *, frozen: bool = False) -> Rule:
    if frozen:
        return Rule("0000/0000", 0.0)
    halves = [[chance.choice([-1, 0, 1]) for _ in range(4)] if chance.random() < 0.75 else [0] * 4 for _ in range(2)]
    return Rule([*halves[0], *halves[1]], chance.choice([0.001, 0.0375, 0.1, 0.5, chance.random()]))


@pytest.mark.parametrize("part", range(PARTS))
def test_wider_lives_are_their_twins(part: int) -> None:
    for number in range(part, CASES, PARTS):
        experiment, nature, first = case(number)
        jobs = experiment.jobs(first)
        together = Batch(experiment.world, experiment.brain, jobs)
        while together.step < experiment.world.steps:
            together.advance(random.Random(number + together.step).choice([1, 50, 1000]))
        networks = together.networks()
        for row in (1,):
            twin = naive_wider.live(experiment.world, nature, experiment.seed, first + row)
            where = f"case {number}, trial {first + row}"
            assert together.counts[:, row].tolist() == twin.counts, where
            assert networks.hidden[row].tobytes() == np.array(twin.hidden).tobytes(), where
            assert networks.output[row].tobytes() == np.array(twin.output).tobytes(), where
        generic = Batch(experiment.world, experiment.brain, jobs, fast=False)
        while generic.step < experiment.world.steps:  # slices forget nothing of the step before
            generic.advance(random.Random(number + generic.step).choice([1, 7, 100]))
        assert np.array_equal(generic.counts, together.counts), number
        assert generic.networks().hidden.tobytes() == networks.hidden.tobytes(), number
        alone = run(2, experiment.world, experiment.brain, jobs, batch=1)
        assert np.array_equal(alone.counts, together.counts.swapaxes(0, 1)), number


def counts_of(experiment: Experiment) -> np.ndarray:
    return run(None, experiment.world, experiment.brain, experiment.jobs()).counts


def test_a_layered_rule_of_two_equal_layers_lives_like_the_plain_one() -> None:
    for name in ("foraging:1", "foraging:6"):
        rule = Rule(name)
        layered = LayeredRule(rule, rule)
        lives = [
            Experiment(world=Foraging(), brain=Brain(hidden=20), rule=one, lifetimes=4, seed=3)
            for one in (rule, layered)
        ]
        assert np.array_equal(*map(counts_of, lives))


def test_blame_of_one_and_no_eligibility_change_nothing() -> None:
    world = Foraging(season_steps=700)
    lives = [
        Experiment(world=world, brain=Brain(hidden=9), rule=Rule("foraging:6"), lifetimes=5, seed=3, blame=blame)
        for blame in ({}, {"missed": 1.0})
    ]
    assert np.array_equal(*map(counts_of, lives))


def test_an_associations_weight_goes_before_its_groups() -> None:
    """Association 3 is the wall in front, 5 and 7 are walls beside; all are of one group."""
    world = Foraging(season_steps=700)

    def counts(**blame: float) -> list[object]:
        rule, brain = Rule("foraging:6"), Brain(hidden=9)
        weights = {name.replace("_", "-").lstrip("-"): weight for name, weight in blame.items()}
        lives = Experiment(world=world, brain=brain, rule=rule, lifetimes=5, seed=3, blame=weights)
        return counts_of(lives).tolist()

    assert counts(wall_turn=-0.5) == counts(_3=-0.5, _5=-0.5, _7=-0.5) == counts(wall_turn=2, _3=-0.5, _5=-0.5, _7=-0.5)
    assert counts(wall_turn=-0.5) != counts(wall_turn=-0.5, _3=1)


@pytest.mark.parametrize(
    ("group", "said"),
    [
        ("99", "association 99, which foraging does not have; the nearest is 20"),
        ("wal-turn", "did you mean 'wall-turn'"),
    ],
)
def test_what_is_neither_group_nor_association_is_refused(group: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        check_weights("blame", {group: 1.0}, Foraging())


@pytest.mark.parametrize("where", ["always", "nothing-sensed"])
@pytest.mark.parametrize(("task", "frozen"), [("foraging", False), ("foraging", True), ("prey-predator", False)])
def test_other_random_actions_are_the_same_in_the_fast_loops(task: str, frozen: bool, where: str) -> None:
    """The generic loop is held to its twin above."""
    world = make_world(task, grid_size=14, season_steps=400, random_action=0.1, random_kind="turn", random_where=where)
    brain = Brain.of(world, 11)
    rules = [LayeredRule("frozen", f"{task}:4")] if frozen else [Rule(f"{task}:{number}") for number in (1, 2, 4, 5, 6)]
    jobs = Jobs.of(rules * 2, [3] * 2 * len(rules), range(2 * len(rules)))
    fast, generic = (Batch.of(world, brain, jobs, fast=fast) for fast in (True, False))
    assert fast.accelerations
    assert not generic.accelerations
    for batch in (fast, generic):
        batch.advance(150)
        batch.advance(world.steps)
    assert np.array_equal(fast.counts, generic.counts)
    assert fast.networks().hidden.tobytes() == generic.networks().hidden.tobytes()
    assert fast.brains.stream.tobytes() == generic.brains.stream.tobytes()
    usual = Batch.of(dataclasses.replace(world, random_where="always", random_kind="any"), brain, jobs)
    usual.advance(world.steps)
    assert not np.array_equal(usual.counts, fast.counts)
