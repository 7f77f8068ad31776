"""The fast loops for any world: what remembers, and eight lives together, to the bits of the generic loop."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from hebbarium.brains.base import Brain
from hebbarium.life.batch import Batch
from hebbarium.life.jobs import Jobs
from hebbarium.rules.layered import read_rule
from hebbarium.worlds.registry import make_world

RULES = (
    "00+-/0000@0.04",
    "-0+-/+0-+@0.04",
    "frozen,000-/0000@0.03",
    "frozen,000-/000+@0.03",
    "foraging:6",  # hidden neurons become equal
    "foraging:18",
    "0000/0000@0.1",
    "00+-/00+0@0.9",  # weights fade until they are nothing
    "000-/000+@1e-200",
)


def _same(world: Any, brain: Brain, rules: list[str], lives: int) -> list[str]:
    """Lives both ways, in slices of different lengths; returns the names of the fast loops."""
    rules = [rules[life % len(rules)] for life in range(lives)]
    jobs = Jobs.of([read_rule(rule) for rule in rules], [3] * lives, range(lives))
    fast, slow = (Batch(world, brain, jobs, fast=quick) for quick in (True, False))
    chance = random.Random(lives)
    while fast.step < world.steps:
        fast.advance(chance.choice([1, 40, 700]))
    slow.advance(world.steps)
    assert np.array_equal(fast.counts, slow.counts)
    for name in ("hidden", "output", "stream", "gap", "punished"):
        assert getattr(fast.brains, name).tobytes() == getattr(slow.brains, name).tobytes(), name
    assert fast.streams.tobytes() == slow.streams.tobytes()
    assert not slow.accelerations
    return [kernel.name for kernel, _ in fast.accelerations]


@pytest.mark.parametrize(
    ("task", "settings", "hidden"),
    [
        ("t-maze", {}, 20),
        ("t-maze", {"random_where": "nothing-sensed", "maze": "double"}, 3),
        ("t-maze", {}, 70),  # more neurons than places for those that differ
        ("association", {}, 8),
        ("association", {"bits": 10, "answers": 12, "stimuli": 30, "random_action": 0}, 33),
        ("foraging", {"grid_size": 14, "random_where": "nothing-sensed", "random_action": 0.1}, 9),
    ],
)
def test_lives_in_any_world_are_those_of_the_generic_loop(task: str, settings: dict[str, Any], hidden: int) -> None:
    world = make_world(task, season_steps=900, seasons=3, **settings)
    names = _same(world, Brain.of(world, hidden), list(RULES), 2 * len(RULES) + 1)
    assert any("together" in name for name in names)


def test_what_is_drawn_among_equals_is_not_remembered() -> None:
    """With as good as no weights from most neurons, outputs are often equal: each time another one may act."""
    world = make_world("t-maze", season_steps=500, seasons=2)
    names = _same(world, Brain.of(world, 1, ties="random", output_bias="plastic"), ["00+-/0000@0.04", "0000/0000@0"], 9)
    assert names == ["advance_remembering_t_maze_4_3_random"]


def test_what_is_wider_than_a_word_is_not_remembered() -> None:
    world = make_world("association", bits=63, season_steps=50)
    assert _same(world, Brain.of(world, 2), ["00+-/0000@0.04"], 9) == ["advance_together_association"]
    batch = Batch(world, Brain.of(world, 2, ties="random"), Jobs.of_rule(read_rule("00+-/0000@0.04"), 1, 1))
    assert not batch.accelerations


def test_lives_that_are_punished_often_are_lived_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hebbarium.kernels.compile.Kernel.is_kept", property(lambda kernel: True))
    world = make_world("association", season_steps=900, seasons=3)
    names = _same(world, Brain.of(world, 8), ["00+-/0000@0.04", "-0+-/+0-+@0.04"], 41)
    assert any("together" in name for name in names)
    jobs = Jobs.of_rule(read_rule("00+-/0000@0.04"), 24, 3)
    lives = Batch(world, Brain.of(world, 8), jobs)
    assert [kernel.name for kernel, _ in lives.accelerations] == ["advance_remembering_association_6_3_first"]
    lives.advance(world.steps)
    assert "advance_together_association_6_3" in [kernel.name for kernel, _ in lives.accelerations]


def test_a_loop_is_compiled_when_that_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hebbarium.kernels.compile.Kernel.is_kept", property(lambda kernel: False))
    monkeypatch.setattr("hebbarium.life.batch._WORTH", 4000)
    monkeypatch.setattr("hebbarium.life.batch._lived_alone", Counter())
    world = make_world("association", season_steps=400, seasons=1)
    jobs = Jobs.of_rule(read_rule("00+-/0000@0.04"), 24, 3)
    for moves in (False, True):
        lives = Batch(world, Brain.of(world, 8), jobs)
        assert lives.moves is moves
        lives.advance(world.steps)
        assert any("together" in kernel.name for kernel, _ in lives.accelerations) is moves
