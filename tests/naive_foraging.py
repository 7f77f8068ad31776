"""The slow twin, second part: a whole foraging life, in plain Python.

The world, the senses, the moves and the reinforcement are written again from the paper: a dictionary of
things on a grid, and the twenty associations as sentences. Only settings are read from the package's task.
"""

from __future__ import annotations

from typing import NamedTuple

from hebbarium.worlds.foraging import Foraging
from naive import BRAIN, WORLD, Network, RandomActions, Stream, first_largest

EMPTY, BLUE, GREEN, WALL = 0, 1, 2, 3
LEFT, STRAIGHT, RIGHT = 0, 1, 2
SENSOR_BITS = {EMPTY: [0, 0], WALL: [1, 1], GREEN: [1, 0], BLUE: [0, 1]}
AHEAD = [(-1, 0), (0, 1), (1, 0), (0, -1)]
"""Rows and columns added by a step north, east, south, west."""

TAKEN = {  # the association's id when the item in this place is taken
    (GREEN, STRAIGHT): 9,
    (GREEN, LEFT): 11,
    (GREEN, RIGHT): 13,
    (BLUE, STRAIGHT): 15,
    (BLUE, LEFT): 17,
    (BLUE, RIGHT): 19,
}
LEFT_ALONE = {item: taken + 1 for item, taken in TAKEN.items()}
HIT = {STRAIGHT: 4, LEFT: 6, RIGHT: 8}
"""The id when the wall in this place is hit."""


class Step(NamedTuple):
    """What a trace holds of one step; everything as it was when the agent acted."""

    position: tuple[int, int]
    direction: int
    sensed: tuple[int, int, int]
    action: int
    random: bool
    reinforcement: int
    association: int


class Life(NamedTuple):
    counts: list[list[int]]
    """[season][green, blue, walls]"""
    steps: list[Step]
    hidden: list[list[float]]
    """[post][pre], the bias last."""
    output: list[list[float]]
    """[post][pre], the bias last."""


def live(
    task: Foraging,
    hidden: int,
    entries: tuple[int, ...],
    eta: float,
    seed: int,
    trial: int,
    weights: tuple[list[list[float]], list[list[float]]] | None = None,
) -> Life:
    """One life from birth to its last step. weights: both layers at birth, where they are not random."""
    world = World(task, Stream(seed, trial, WORLD))
    brain = Stream(seed, trial, BRAIN)
    network = Network(6, hidden, 3, brain)
    random_actions = RandomActions(brain, task.random_action)
    if weights is not None:
        network.hidden, network.output = ([list(row) for row in layer] for layer in weights)
    counts, steps = [], []
    for number in range(task.seasons):
        names = task.schedule.split(",")
        season = names[number % len(names)].strip()
        world.collected = {GREEN: 0, BLUE: 0}
        world.hits = 0
        for _ in range(task.season_steps):
            sensed = world.sense()
            network.activate([bit for thing in sensed for bit in SENSOR_BITS[thing]])
            action = random_actions.next()
            is_random = action is not None
            if action is None:
                action = first_largest(network.outputs)
            m, association = reinforcement(season, sensed, action, task.priority)
            steps.append(Step(world.position, world.direction, sensed, action, is_random, m, association))
            world.move(action)
            if not is_random:
                network.change(action, entries, eta, m)
        counts.append([world.collected[GREEN], world.collected[BLUE], world.hits])
    return Life(counts, steps, network.hidden, network.output)


class World:
    """A square of free cells, numbered from 1, inside a ring of wall."""

    def __init__(self, task: Foraging, stream: Stream) -> None:
        self.stream, self.turn_at_wall = stream, task.turn_at_wall
        self.free = {"inside": task.grid_size - 2, "outside": task.grid_size}[task.wall]
        self.things: dict[tuple[int, int], int] = {}
        for place in range(self.free + 2):
            for edge in (0, self.free + 1):
                self.things[place, edge] = self.things[edge, place] = WALL
        self.position = self.random_cell()
        self.direction = stream.below(4)
        self.collected = {GREEN: 0, BLUE: 0}
        self.hits = 0
        for _ in range(task.green):
            self.place(GREEN)
        for _ in range(task.blue):
            self.place(BLUE)

    def random_cell(self) -> tuple[int, int]:
        row, column = divmod(self.stream.below(self.free**2), self.free)
        return row + 1, column + 1

    def place(self, item: int) -> None:
        """On a random empty cell that is not the agent's."""
        cell = self.random_cell()
        while cell in self.things or cell == self.position:
            cell = self.random_cell()
        self.things[cell] = item

    def cell_after(self, action: int) -> tuple[int, int]:
        rows, columns = AHEAD[self.direction_after(action)]
        return self.position[0] + rows, self.position[1] + columns

    def direction_after(self, action: int) -> int:
        return (self.direction + {LEFT: -1, STRAIGHT: 0, RIGHT: 1}[action]) % 4

    def sense(self) -> tuple[int, int, int]:
        """The cells on the left, in front and on the right."""
        left, front, right = (self.things.get(self.cell_after(side), EMPTY) for side in (LEFT, STRAIGHT, RIGHT))
        return left, front, right

    def move(self, action: int) -> None:
        cell, direction = self.cell_after(action), self.direction_after(action)
        thing = self.things.get(cell, EMPTY)
        if thing == WALL:
            self.hits += 1
            if self.turn_at_wall:
                self.direction = direction
            return
        self.position, self.direction = cell, direction
        if thing != EMPTY:
            self.collected[thing] += 1
            del self.things[cell]
            self.place(thing)


def reinforcement(season: str, sensed: tuple[int, int, int], action: int, priority: str) -> tuple[int, int]:
    """The signal m and the id of the association it comes from.

    Priority "entered": the cell moved into decides; else items in view; else walls in view; else nothing is.
    Priority "items": the same, except that a wall that is hit is just a wall in view.
    """
    wanted = GREEN if season == "summer" else BLUE
    entered = sensed[action]
    if entered in (GREEN, BLUE):
        return (+1 if entered == wanted else -1), TAKEN[entered, action]
    if entered == WALL and priority == "entered":
        return -1, HIT[action]
    avoided = [(thing, place) for place, thing in enumerate(sensed) if thing in (GREEN, BLUE)]
    missed = [item for item in avoided if item[0] == wanted]
    if missed:
        return -1, min(LEFT_ALONE[item] for item in missed)
    if avoided:
        return 0, min(LEFT_ALONE[item] for item in avoided)
    walls = [wall_association(place, action) for place, thing in enumerate(sensed) if thing == WALL]
    if walls:
        return min(walls)
    return (+1, 1) if action == STRAIGHT else (-1, 2)


def wall_association(place: int, action: int) -> tuple[int, int]:
    """The signal and the id of the row for a wall in this place: away from it is right, all else is wrong."""
    if place == STRAIGHT:
        return (-1, 4) if action == STRAIGHT else (+1, 3)
    if place == LEFT:
        return (+1, 5) if action == RIGHT else (-1, 6)
    return (+1, 7) if action == LEFT else (-1, 8)
