"""Where things are put: every free cell is as likely as any other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from hebbarium.kernels.compile import Kernel
from hebbarium.life.fast.foraging_remembering import REACH, open_run
from hebbarium.life.jobs import Jobs
from hebbarium.rules.rule import Rule
from hebbarium.worlds.foraging import LARGEST_SIDE, Foraging, row_factor, row_of
from hebbarium.worlds.grid import BLUE, GREEN, WALL
from lives import batch_of, traced

FROZEN = Rule("0000/0000", 0.0)
UNLIKELY = 1e-4
"""Seeds are fixed, so a p-value below this is a fault and no accident."""


def newborn(task: Foraging, lifetimes: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """cells: [lifetime, row, column]; agents: [lifetime, (row, column, direction)]."""
    batch = batch_of(task, 1, Jobs.of_rule(FROZEN, lifetimes, seed))
    side = task.full_side
    rows, columns = np.divmod(batch.state.agent[:, 0], side)
    return batch.state.cells.reshape(-1, side, side), np.stack([rows, columns, batch.state.agent[:, 1]], axis=1)


def uniform(counts: np.ndarray) -> float:
    return float(stats.chisquare(counts.ravel()).pvalue)


@pytest.mark.parametrize("wall", ["inside", "outside"])
def test_agents_start_anywhere_and_in_any_direction(wall: str) -> None:
    task = Foraging(grid_size=6, wall=wall, green=1, blue=1)
    _, agents = newborn(task, 20_000)
    starts = np.zeros((task.full_side, task.full_side, 4), np.int64)
    np.add.at(starts, tuple(agents.T), 1)
    free = starts[1:-1, 1:-1]
    assert free.sum() == 20_000  # nobody in the wall
    assert free.shape[0] == (4 if wall == "inside" else 6)
    assert uniform(free) > UNLIKELY


@pytest.mark.parametrize("item", [GREEN, BLUE])
def test_items_start_anywhere_but_on_the_agent(item: int) -> None:
    task = Foraging(grid_size=7, green=3, blue=4)
    cells, agents = newborn(task, 20_000)
    assert ((cells == GREEN).sum(axis=(1, 2)) == 3).all()
    assert ((cells == BLUE).sum(axis=(1, 2)) == 4).all()
    assert (cells[np.arange(20_000), agents[:, 0], agents[:, 1]] == 0).all()
    assert uniform((cells == item).sum(axis=0)[1:-1, 1:-1]) > UNLIKELY


@pytest.mark.parametrize("size", [4, 63, 64, 65, 66, 127, 128, 129, 130])
def test_bit_boards_say_what_the_cells_say(size: int) -> None:
    task = Foraging(grid_size=size, green=1, blue=1, random_action=0.5, season_steps=300, seasons=1)
    batch = batch_of(task, 2, Jobs.of_rule(Rule("foraging:1"), 3, 5))
    batch.advance(300)
    cells = batch.state.cells.reshape(3, size, size) != 0
    places = np.arange(size)

    def board(words: np.ndarray) -> np.ndarray:
        return (words[:, :, places // 64] >> (places % 64).astype(np.uint64) & np.uint64(1)).astype(bool)

    columns, rows = batch.state.lines[:, 0, 1:-1], batch.state.lines[:, 1, 1:-1]
    assert (board(rows) == cells).all()
    assert (board(columns) == cells.swapaxes(1, 2)).all()
    assert not batch.state.lines[:, :, [0, -1]].any()


@Kernel
def runs_step_by_step(cells, side):
    """int64 [position, direction]: straight steps until something is in view, one at a time; 0 where it is already."""
    ahead = np.array([-side, 1, side, -1])
    runs = np.zeros((cells.shape[0], 4), np.int64)
    for start in range(cells.shape[0]):
        for direction in range(4):
            here = start
            while (
                cells[start] != WALL
                and cells[here + ahead[direction]] == 0
                and cells[here + ahead[(direction + 1) % 4]] == 0
                and cells[here + ahead[(direction + 3) % 4]] == 0
            ):
                here += ahead[direction]
                runs[start, direction] += 1
    return runs


@Kernel
def runs_jumped(constants, worlds, side):
    """The same by bit boards, as many jumps as it takes."""
    runs = np.zeros((side * side, 4), np.int64)
    for start in range(side * side):
        for direction in range(4):
            run = REACH
            while run == REACH and worlds.cells[0, start] != WALL:
                here = start + runs[start, direction] * constants.ahead[direction]
                run = open_run(constants, worlds, 0, here, direction)
                runs[start, direction] += run
    return runs


@Kernel
def wrong_rows(constants, side):
    """How many first and last cells of a row are said to lie in another."""
    wrong = 0
    for row in range(side):
        for position in (row * side, (row + 1) * side - 1):
            wrong += row_of(constants, position) != row
    return wrong


def test_rows_are_exact_without_division() -> None:
    constants = batch_of(Foraging(), 1, Jobs.of_rule(FROZEN, 1, 1)).constants
    for side in [*range(4, 1000), *range(4000, 4099), LARGEST_SIDE]:
        assert wrong_rows(constants._replace(row_factor=row_factor(side)), side) == 0


@pytest.mark.parametrize("size", [4, 5, 32, 62, 63, 64, 65, 66, 67, 100, 127, 128, 129, 130, 131, 192, 193, 194])
@pytest.mark.parametrize("items", [0, 1, 12, 150, 400])
def test_a_jump_ends_where_single_steps_would(size: int, items: int) -> None:
    """From every cell in every direction: over no word's edge may anything be missed."""
    items = min(items, (size - 2) ** 2 - 2)
    task = Foraging(grid_size=size, green=items, blue=0)
    for seed in range(3):
        batch = batch_of(task, 1, Jobs.of_rule(FROZEN, 1, seed))
        expected = runs_step_by_step(batch.state.cells[0], size)
        jumped = runs_jumped(batch.constants, batch.state, size)
        assert np.array_equal(jumped, expected)


def test_a_collected_item_reappears_on_any_empty_cell() -> None:
    """One item of each colour among 25 cells: it may reappear on all but the agent's and the other item's."""
    task = Foraging(grid_size=7, green=1, blue=1, random_action=1.0, season_steps=600, seasons=1)
    batch = batch_of(task, 1, Jobs.of_rule(FROZEN, 200, 8))
    ranks = []
    cells = batch.state.cells.copy()
    for _ in range(task.steps):
        batch.advance(1)
        for life in np.flatnonzero((batch.state.cells != cells).any(axis=1)):
            appeared = int(np.flatnonzero((batch.state.cells[life] != 0) & (cells[life] == 0))[0])
            allowed = (cells[life] == 0) & (np.arange(49) != batch.state.agent[life, 0])
            ranks.append(int(allowed[:appeared].sum()))
            assert allowed.sum() == 23
        cells = batch.state.cells.copy()
    counts = np.bincount(ranks, minlength=23)
    assert len(ranks) == batch.counts[0, :, :2].sum() > 3000
    assert uniform(counts) > UNLIKELY


def test_random_actions_are_any_of_three_as_often_as_asked() -> None:
    task = Foraging(random_action=0.25, season_steps=40_000, seasons=1)
    steps = traced(batch_of(task, 3, Jobs.of_rule(FROZEN, 1, 4))).steps
    assert stats.binomtest(int(steps.random.sum()), task.steps, 0.25).pvalue > UNLIKELY
    assert uniform(np.bincount(steps.action[steps.random], minlength=3)) > UNLIKELY


def test_the_wall_is_a_ring() -> None:
    cells, _ = newborn(Foraging(grid_size=9, green=0, blue=0), 1)
    ring = np.full((9, 9), WALL)
    ring[1:-1, 1:-1] = 0
    assert (cells[0] == ring).all()


def test_a_world_as_full_as_may_be_is_lived() -> None:
    task = Foraging(grid_size=4, green=1, blue=1, season_steps=2000, seasons=2)
    batch = batch_of(task, 3, Jobs.of_rule(Rule("foraging:6"), 9, 2))
    batch.advance(task.steps)
    assert ((batch.state.cells == GREEN).sum(axis=1) == 1).all()
    assert batch.counts.sum() > 0
