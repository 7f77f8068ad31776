"""The prey-predator task as the paper tells it: its table, its field of view, its score, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from hebbarium.tools.errors import BadInput
from hebbarium.worlds.grid import BLUE, EMPTY, GREEN, LEFT, RIGHT, STRAIGHT, SUMMER, WALL, WINTER
from hebbarium.worlds.prey_predator import PreyPredator, nears, reinforcement

AVOID, TOWARDS = 0, 1


def test_reinforcement_swaps_the_colours_with_the_season():
    table, ids = reinforcement()
    assert table[SUMMER, GREEN].tolist() == table[WINTER, BLUE].tolist() == [-1, 1]
    assert table[SUMMER, BLUE].tolist() == table[WINTER, GREEN].tolist() == [1, -1]
    assert table[SUMMER, WALL].tolist() == table[WINTER, WALL].tolist() == [1, -1]
    assert table[SUMMER, EMPTY].tolist() == table[WINTER, EMPTY].tolist() == [1, -1]
    assert [ids[thing].tolist() for thing in (EMPTY, WALL, GREEN, BLUE)] == [[1, 2], [3, 4], [5, 6], [7, 8]]


def test_the_agent_sees_44_cells_and_has_88_inputs():
    task = PreyPredator()
    assert (task.sensed_cells, task.inputs, task.steps) == (44, 88, 8000)
    assert len(set(task.view)) == 44
    assert task.view[0] == (4, -4)
    assert task.view[-1] == (0, 4)
    assert (0, 0) not in task.view


def test_an_action_nears_what_lies_on_its_side():
    assert [nears((0, -3), action) for action in (LEFT, STRAIGHT, RIGHT)] == [True, False, False]
    assert [nears((2, 2), action) for action in (LEFT, STRAIGHT, RIGHT)] == [False, True, True]
    assert [nears((4, 0), action) for action in (LEFT, STRAIGHT, RIGHT)] == [False, True, False]


@pytest.mark.parametrize("cell", PreyPredator().view)
@pytest.mark.parametrize("action", [LEFT, STRAIGHT, RIGHT])
def test_no_action_keeps_the_distance(cell, action):
    # Otherwise a step could be neither "Avoid" nor "Move towards", and the table would have a gap.
    ahead, right = cell
    forth, aside = {LEFT: (0, -1), STRAIGHT: (1, 0), RIGHT: (0, 1)}[action]
    before, after = np.hypot(ahead, right), np.hypot(ahead - forth, right - aside)
    assert before != after
    assert nears(cell, action) == (after < before)


def test_fitness_is_alpha_times_collected_minus_caught_summed_over_a_life():
    counts = np.array([[[3, 10, 99], [1, 0, 7]], [[0, 4, 0], [0, 5, 0]]])
    task = PreyPredator()
    assert task.fitness(counts).tolist() == [[14, 8], [-4, -5]]
    assert task.life_fitness(counts).tolist() == [22, -9]
    assert PreyPredator(alpha=1).life_fitness(counts).tolist() == [-6, -9]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"view_width": 8}, "view-width is 8, but must be odd"),
        ({"view_width": 43}, "the nearest is 41"),
        ({"view_depth": 0}, "the nearest is 1"),
        ({"view_width": 1, "view_depth": 1}, "nothing is seen"),
        ({"neighbourhood": 5}, "neighbourhood is 5, but must be 4 or 8; the nearest is 4"),
        ({"neighbourhood": 7}, "the nearest is 8"),
        ({"notice_probability": 1.5}, "the nearest is 1"),
        ({"notice_distance": float("nan")}, "not a number"),
        ({"alpha": -1}, "the nearest is 0"),
        ({"green": -1}, "the nearest is 0"),
        ({"blue": 2.5}, "must be a whole number"),
        ({"grid_size": 6}, "20 objects do not fit in 4 x 4 free cells beside the agent; the most that fit are 14"),
    ],
)
def test_bad_settings_are_refused_in_one_sentence(settings, sentence):
    with pytest.raises(BadInput, match=sentence):
        PreyPredator(**settings)


@pytest.mark.parametrize(
    ("distance", "square"), [(3.0, 9), (0.0, 0), (1.5, 2), (2**0.5, 2), (13**0.5, 13), (10_000, 10**8)]
)
def test_the_notice_distance_is_compared_exactly(distance, square):
    assert PreyPredator(notice_distance=distance).notice_square == square
