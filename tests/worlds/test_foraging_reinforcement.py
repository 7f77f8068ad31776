"""The table of 2 x 64 x 3 reinforcements against an independent reading of the twenty associations."""

from __future__ import annotations

import itertools

import pytest

import naive_foraging
from hebbarium.worlds.foraging import PRIORITIES, Foraging, applies, reinforcement, sensed
from hebbarium.worlds.grid import BLUE, EMPTY, GREEN, LEFT, RIGHT, STRAIGHT, SUMMER, WALL, WINTER

SEASONS = {"summer": SUMMER, "winter": WINTER}
SIGHTS = list(itertools.product((EMPTY, BLUE, GREEN, WALL), repeat=3))


def state_of(left: int, front: int, right: int) -> int:
    return 16 * left + 4 * front + right


@pytest.mark.parametrize("priority", PRIORITIES)
@pytest.mark.parametrize("season", SEASONS)
def test_every_entry_and_its_association(season: str, priority: str) -> None:
    signals, ids = reinforcement(priority)
    for sight, action in itertools.product(SIGHTS, (LEFT, STRAIGHT, RIGHT)):
        entry = SEASONS[season], state_of(*sight), action
        expected = naive_foraging.reinforcement(season, sight, action, priority)
        assert (signals[entry], ids[entry]) == expected, (season, sight, action, priority)


def test_states_are_the_three_cells_bits() -> None:
    assert [sensed(state_of(*sight)) for sight in SIGHTS] == SIGHTS
    assert sorted(state_of(*sight) for sight in SIGHTS) == list(range(64))


@pytest.mark.parametrize("priority", PRIORITIES)
def test_the_deciding_association_applies_and_says_so(priority: str) -> None:
    signals, ids = reinforcement(priority)
    rows = {row.id: row for row in Foraging.associations}
    assert list(rows) == list(range(1, 21))
    for state, action in itertools.product(range(64), (LEFT, STRAIGHT, RIGHT)):
        for season in (SUMMER, WINTER):
            row = rows[ids[season, state, action]]
            assert applies(row, state, action)
            assert signals[season, state, action] == row.signals[season]


# What the paper says in words, beside its table.
ALONE = [  # sight, action, summer, winter, id
    ((EMPTY, EMPTY, EMPTY), STRAIGHT, 1, 1, 1),
    ((EMPTY, EMPTY, EMPTY), LEFT, -1, -1, 2),
    ((EMPTY, EMPTY, EMPTY), RIGHT, -1, -1, 2),
    ((EMPTY, WALL, EMPTY), LEFT, 1, 1, 3),
    ((EMPTY, WALL, EMPTY), RIGHT, 1, 1, 3),
    ((EMPTY, WALL, EMPTY), STRAIGHT, -1, -1, 4),
    ((WALL, EMPTY, EMPTY), RIGHT, 1, 1, 5),
    ((WALL, EMPTY, EMPTY), LEFT, -1, -1, 6),
    ((WALL, EMPTY, EMPTY), STRAIGHT, -1, -1, 6),
    ((EMPTY, EMPTY, WALL), LEFT, 1, 1, 7),
    ((EMPTY, EMPTY, WALL), RIGHT, -1, -1, 8),
    ((EMPTY, EMPTY, WALL), STRAIGHT, -1, -1, 8),
    ((EMPTY, GREEN, EMPTY), STRAIGHT, 1, -1, 9),
    ((EMPTY, GREEN, EMPTY), LEFT, -1, 0, 10),
    ((GREEN, EMPTY, EMPTY), LEFT, 1, -1, 11),
    ((GREEN, EMPTY, EMPTY), STRAIGHT, -1, 0, 12),
    ((EMPTY, EMPTY, GREEN), RIGHT, 1, -1, 13),
    ((EMPTY, EMPTY, GREEN), LEFT, -1, 0, 14),
    ((EMPTY, BLUE, EMPTY), STRAIGHT, -1, 1, 15),
    ((EMPTY, BLUE, EMPTY), RIGHT, 0, -1, 16),
    ((BLUE, EMPTY, EMPTY), LEFT, -1, 1, 17),
    ((BLUE, EMPTY, EMPTY), RIGHT, 0, -1, 18),
    ((EMPTY, EMPTY, BLUE), RIGHT, -1, 1, 19),
    ((EMPTY, EMPTY, BLUE), STRAIGHT, 0, -1, 20),
    # The paper's own example of two things in view: the item's row 12, not the wall's row 3.
    ((GREEN, WALL, EMPTY), RIGHT, -1, 0, 12),
]


@pytest.mark.parametrize("priority", PRIORITIES)
@pytest.mark.parametrize(("sight", "action", "summer", "winter", "row"), ALONE)
def test_the_papers_table(
    sight: tuple[int, int, int], action: int, summer: int, winter: int, row: int, priority: str
) -> None:
    signals, ids = reinforcement(priority)
    state = state_of(*sight)
    assert signals[:, state, action].tolist() == [summer, winter]
    assert ids[:, state, action].tolist() == [row, row]


def test_where_the_priorities_differ() -> None:
    """A bump while an item is avoided: punished when the cell entered decides, not when items come first."""
    state = state_of(BLUE, WALL, EMPTY)
    assert reinforcement("entered")[0][SUMMER, state, STRAIGHT] == -1
    assert reinforcement("items")[0][SUMMER, state, STRAIGHT] == 0
    differ = (reinforcement("entered")[0] != reinforcement("items")[0]).nonzero()
    for _, state, action in zip(*differ, strict=True):
        assert sensed(int(state))[action] == WALL
        assert {GREEN, BLUE} & set(sensed(int(state)))


def test_in_a_corner_punishment_wins() -> None:
    signals, ids = reinforcement("entered")
    corner = state_of(WALL, WALL, EMPTY)
    assert [signals[SUMMER, corner, action] for action in (LEFT, STRAIGHT, RIGHT)] == [-1, -1, 1]
    assert [ids[SUMMER, corner, action] for action in (LEFT, STRAIGHT, RIGHT)] == [6, 4, 3]


def test_the_tables_cannot_be_changed() -> None:
    for table in reinforcement("entered"):
        with pytest.raises(ValueError, match="read-only"):
            table[0, 0, 0] = 1
