"""The association world: what agents score there, and what the settings mean."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import hebbarium as hb
from hebbarium.brains.base import Brain
from hebbarium.life.batch import Batch
from hebbarium.life.jobs import FROZEN, Jobs
from hebbarium.worlds.association import AssociationWorld
from naive import WORLD, Stream
from naive_association import SlowAssociation


def batch_of(lives: int = 300, **settings: Any) -> Batch:
    world = AssociationWorld(**({"season_steps": 10} | settings))
    return Batch(world, Brain.of(world, 1), Jobs.of_rule(FROZEN, lives, 1))


@pytest.mark.parametrize(
    "settings", [{}, {"bits": 64, "answers": 16, "stimuli": 100}, {"bits": 2, "answers": 2, "stimuli": 4}]
)
def test_chance_is_0_and_perfect_nearly_100(settings: dict[str, int]) -> None:
    chance = hb.live_agent("association", "random", lifetimes=60, **settings).life_fitness
    assert abs(chance.mean()) < 4 * chance.std() / np.sqrt(60)
    perfect = hb.live_agent("association", "perfect", lifetimes=20, **settings).life_fitness
    assert 96 < perfect.mean() <= 100
    assert hb.live_agent("association", "perfect", lifetimes=2, random_action=0, **settings).life_fitness.min() == 100


def test_an_output_rule_on_random_features_learns_what_rule_1_does_not() -> None:
    larger = {"bits": 16, "answers": 4, "stimuli": 16, "lifetimes": 12}
    assert hb.live("association", "00+-/0000@0.0375", **larger).life_fitness.mean() < 10
    assert hb.live("association", "frozen,000-/0000@0.03", **larger).life_fitness.mean() > 50


@pytest.mark.parametrize(("density", "expected"), [(0.1, 0.1), (0.5, 0.5), (0.9, 0.9)])
def test_stimuli_differ_and_have_their_density(density: float, expected: float) -> None:
    stimuli = batch_of(bits=40, stimuli=20, density=density).state.stimuli
    assert all(len(set(row)) == 20 for row in stimuli.tolist())
    ones = np.mean([bin(one).count("1") / 40 for row in stimuli.tolist() for one in row])
    assert ones == pytest.approx(expected, abs=0.01)


def test_even_all_stimuli_there_are_can_be_had() -> None:
    for density in (0.0, 0.02, 0.5, 1.0):
        stimuli = batch_of(3, bits=5, stimuli=32, density=density).state.stimuli
        assert all(sorted(row) == list(range(32)) for row in stimuli.tolist())


@pytest.mark.parametrize(
    ("bits", "stimuli", "density"),
    [(5, 32, 0.0), (5, 31, 1.0), (7, 128, 0.05), (8, 200, 0.93), (64, 40, 0.0), (64, 40, 1.0), (9, 300, 0.2)],
)
def test_crowded_stimuli_are_the_twins(bits: int, stimuli: int, density: float) -> None:
    """Where most draws are of stimuli that are there already, and the next free one is taken instead."""
    batch = batch_of(3, bits=bits, stimuli=stimuli, density=density)
    for life in range(3):
        twin = SlowAssociation(batch.world, Stream(1, life, WORLD))
        words = [sum(bit << place for place, bit in enumerate(one)) for one in twin.stimuli]
        assert batch.state.stimuli[life].tolist() == words
        assert batch.state.answers[life].tolist() == [twin.answers[one] for one in twin.stimuli]
        assert batch.state.shown[life] == twin.shown


def test_a_world_of_all_stimuli_begins_at_once() -> None:
    """It took 8.5 seconds, in which nothing could be stopped."""
    batch_of(1)
    start = time.perf_counter()
    batch_of(1, bits=12, stimuli=4096, density=0.1)
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize(("overlap", "kept"), [(0.0, 0.25), (0.6, 0.7), (1.0, 1.0)])
def test_overlap_is_what_a_season_keeps(overlap: float, kept: float) -> None:
    batch = batch_of(answers=4, overlap=overlap)
    batch.advance(10)
    before = batch.state.answers.copy()
    batch.advance(10)
    assert (batch.state.answers == before).mean() == pytest.approx(kept, abs=0.04)


def test_the_picture_shows_stimulus_and_answer() -> None:
    batch = batch_of(1, bits=10, answers=3)
    batch.advance(4)
    cells = batch.picture().cells
    shown = batch.state.shown[0]
    bits = [*cells[0, :8], *cells[1, :2]]
    assert [bit - 1 for bit in bits] == [int(batch.state.stimuli[0, shown]) >> place & 1 for place in range(10)]
    assert cells[-1].tolist()[:3] == [4 if answer == batch.state.answers[0, shown] else 3 for answer in range(3)]


def test_more_stimuli_than_bits_can_make_are_refused() -> None:
    with pytest.raises(hb.BadInput, match="3 bits make only 8; the nearest is 8"):
        AssociationWorld(bits=3, stimuli=9)
