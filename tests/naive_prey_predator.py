"""The slow twin, third part: a whole prey-predator life, in plain Python.

The world, its objects and the reinforcement are written again from the paper:
lists and dictionaries, one object after another. The hidden layer carries its sums along, as the head of
`brains/tallied.py` defines. Only settings are read from the package's task.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from hebbarium.worlds.prey_predator import PreyPredator
from naive import BRAIN, WORLD, Network, RandomActions, Stream, totals

EMPTY, BLUE, GREEN, WALL = 0, 1, 2, 3
LEFT, STRAIGHT, RIGHT = 0, 1, 2
SENSOR_BITS = {EMPTY: [0, 0], WALL: [1, 1], GREEN: [1, 0], BLUE: [0, 1]}
AHEAD = [(-1, 0), (0, 1), (1, 0), (0, -1)]
"""Rows and columns added by a step north, east, south, west."""
DIAGONAL = [(-1, 1), (1, 1), (1, -1), (-1, -1)]

Cell = tuple[int, int]
"""Row and column."""


class Step(NamedTuple):
    """What a trace holds of one step; everything as it was when the agent acted."""

    position: Cell
    direction: int
    sensed: list[int]
    action: int
    random: bool
    reinforcement: int
    association: int


class Life(NamedTuple):
    counts: list[list[int]]
    """[season][collected, caught, walls]"""
    steps: list[Step]
    hidden: list[list[float]]
    """[post][pre], the bias last."""
    output: list[list[float]]
    """[post][pre], the bias last."""


def live(
    task: PreyPredator,
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
    network = CarryingNetwork(2 * (task.view_width * task.view_depth - 1), hidden, 3, brain)
    random_actions = RandomActions(brain, task.random_action)
    if weights is not None:
        network.hidden, network.output = ([list(row) for row in layer] for layer in weights)
    counts, steps = [], []
    for number in range(task.seasons):
        names = task.schedule.split(",")
        world.prey = {"summer": GREEN, "winter": BLUE}[names[number % len(names)].strip()]
        world.collected = world.caught = world.hits = 0
        for _ in range(task.season_steps):
            sensed = world.sense()
            network.activate([bit for thing in sensed for bit in SENSOR_BITS[thing]])
            action = random_actions.next()
            is_random = action is not None
            if action is None:
                action = any_largest(network.outputs, brain)
            m, association = world.judge(sensed, action)
            steps.append(Step(world.position, world.direction, sensed, action, is_random, m, association))
            world.act(action)
            if task.move_probability == 1 or world.stream.unit() < task.move_probability:
                for one in world.objects:
                    world.move(one)
            if not is_random:
                network.change(action, entries, eta, m)
        counts.append([world.collected, world.caught, world.hits])
    return Life(counts, steps, network.hidden, network.output)


def any_largest(numbers: list[float], stream: Stream) -> int:
    best = [place for place, number in enumerate(numbers) if number == max(numbers)]
    return one_of(best, stream)


def one_of(choices: list, stream: Stream):
    """A random one; where there is no choice nothing is drawn."""
    return choices[stream.below(len(choices))] if len(choices) > 1 else choices[0]


def square(one: Cell, other: Cell) -> int:
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2


class Object:
    def __init__(self, number: int, colour: int) -> None:
        self.number, self.colour = number, colour
        self.cell: Cell = (0, 0)


class World:
    """A square of free cells, numbered from 1; all else is wall."""

    def __init__(self, task: PreyPredator, stream: Stream) -> None:
        self.task, self.stream, self.prey = task, stream, GREEN
        self.free = {"inside": task.grid_size - 2, "outside": task.grid_size}[task.wall]
        self.steps = AHEAD if task.neighbourhood == 4 else AHEAD + DIAGONAL
        self.collected = self.caught = self.hits = 0
        self.word = 0
        self.shown: dict[Cell, Object] = {}
        """The object that is seen on a cell: who came last, or of those left behind the first."""
        self.position = self.random_cell()
        self.direction = stream.below(4)
        colours = [GREEN] * task.green + [BLUE] * task.blue
        self.objects = [Object(number, colour) for number, colour in enumerate(colours)]
        for one in self.objects:
            self.put(one, self.empty_cell())

    def random_cell(self) -> Cell:
        row, column = divmod(self.stream.below(self.free**2), self.free)
        return row + 1, column + 1

    def empty_cell(self) -> Cell:
        while True:
            cell = self.random_cell()
            if cell not in self.shown and cell != self.position:
                return cell

    def put(self, one: Object, cell: Cell) -> None:
        one.cell = cell
        self.shown[cell] = one

    def take_to(self, one: Object, cell: Cell) -> None:
        left = [other for other in self.objects if other is not one and other.cell == one.cell]
        if left:
            self.shown[one.cell] = left[0]
        else:
            del self.shown[one.cell]
        self.put(one, cell)

    def at(self, cell: Cell) -> int:
        if not (1 <= cell[0] <= self.free and 1 <= cell[1] <= self.free):
            return WALL
        return self.shown[cell].colour if cell in self.shown else EMPTY

    def seen(self) -> list[Cell]:
        """The cells in view, the farthest row first, each from left to right."""
        rows, columns = AHEAD[self.direction]
        right_rows, right_columns = AHEAD[(self.direction + 1) % 4]
        side = self.task.view_width // 2
        return [
            (
                self.position[0] + ahead * rows + right * right_rows,
                self.position[1] + ahead * columns + right * right_columns,
            )
            for ahead in reversed(range(self.task.view_depth))
            for right in range(-side, side + 1)
            if (ahead, right) != (0, 0)
        ]

    def sense(self) -> list[int]:
        return [self.at(cell) for cell in self.seen()]

    def judge(self, sensed: list[int], action: int) -> tuple[int, int]:
        """The signal m and the id of the association it comes from."""
        things = [(thing, cell) for thing, cell in zip(sensed, self.seen(), strict=True) if thing != EMPTY]
        if not things:
            return (+1, 1) if action == STRAIGHT else (-1, 2)
        distance = min(square(cell, self.position) for _, cell in things)
        nearest = [(thing, cell) for thing, cell in things if square(cell, self.position) == distance]
        moving = [(thing, cell) for thing, cell in nearest if thing != WALL]
        thing, cell = one_of(moving or nearest, self.stream)
        avoids = square(cell, self.cell_after(action)) > distance
        if thing == WALL:
            return (+1, 3) if avoids else (-1, 4)
        wanted = avoids == (thing != self.prey)
        return (+1 if wanted else -1), {GREEN: 5, BLUE: 7}[thing] + (0 if avoids else 1)

    def direction_after(self, action: int) -> int:
        return (self.direction + {LEFT: -1, STRAIGHT: 0, RIGHT: 1}[action]) % 4

    def cell_after(self, action: int) -> Cell:
        rows, columns = AHEAD[self.direction_after(action)]
        return self.position[0] + rows, self.position[1] + columns

    def act(self, action: int) -> None:
        cell, direction = self.cell_after(action), self.direction_after(action)
        if self.at(cell) == WALL:
            self.hits += 1
            if self.task.turn_at_wall:
                self.direction = direction
            return
        self.position, self.direction = cell, direction
        for one in [one for one in self.objects if one.cell == cell]:
            if one.colour == self.prey:
                self.collected += 1
                self.take_to(one, self.empty_cell())
            elif self.task.stepping_counts:
                self.caught += 1

    def move(self, one: Object) -> None:
        """One object moves one cell. A random word serves 32 objects, or 21 where there are eight neighbours."""
        bits, objects = {4: (2, 32), 8: (3, 21)}[self.task.neighbourhood]
        if one.number % objects == 0:
            self.word = self.stream.word()
        choice = self.steps[self.word % 2**bits]
        self.word >>= bits
        around = [(one.cell[0] + rows, one.cell[1] + columns) for rows, columns in self.steps]
        free = [cell for cell in around if self.is_free_for(one, cell)]
        first = (one.cell[0] + choice[0], one.cell[1] + choice[1])
        near = math.sqrt(square(one.cell, self.position)) <= self.task.notice_distance
        if near and self.stream.unit() < self.task.notice_probability:
            best = max if one.colour == self.prey else min
            distances = [square(cell, self.position) for cell in free]
            free = [cell for cell in free if square(cell, self.position) == best(distances)]
        elif first in free:
            free = [first]
        if free:
            self.take_to(one, one_of(free, self.stream))
            self.caught += one.cell == self.position

    def is_free_for(self, one: Object, cell: Cell) -> bool:
        if cell == self.position:
            return one.colour != self.prey
        return self.at(cell) == EMPTY


class SlowPreyPredator:
    """As `naive_life.py` has worlds."""

    def __init__(self, task: PreyPredator, stream: Stream) -> None:
        self.task, self.world = task, World(task, stream)

    def season(self, name: str) -> None:
        self.world.prey = {"summer": GREEN, "winter": BLUE}[name]
        self.world.collected = self.world.caught = self.world.hits = 0

    def sense(self) -> list[int]:
        return [bit for thing in self.world.sense() for bit in SENSOR_BITS[thing]]

    def judge(self, action: int) -> tuple[int, int]:
        return self.world.judge(self.world.sense(), action)

    def act(self, action: int) -> None:
        self.world.act(action)
        if self.task.move_probability == 1 or self.world.stream.unit() < self.task.move_probability:
            for one in self.world.objects:
                self.world.move(one)

    @property
    def counted(self) -> list[int]:
        return [self.world.collected, self.world.caught, self.world.hits]


class CarryingNetwork(Network):
    """A network whose hidden neurons carry the sum and the squared length of their incoming weights along."""

    changes = 0

    def activate(self, inputs: list[int]) -> None:
        self.sums = totals(self.hidden, inputs)
        super().activate(inputs)

    def change(self, winner: int, entries: tuple[int, ...], eta: float, m: int) -> None:
        half = entries[:4] if m == -1 else entries[4:]
        if half == (0, 0, 0, 0):
            return
        if self.changes % 64 == 0:
            self.hidden = [[vanishing(weight) for weight in incoming] for incoming in self.hidden]
            self.output = [[vanishing(weight) for weight in incoming] for incoming in self.output]
            self.total = [in_order(incoming) for incoming in self.hidden]
            self.square = [in_order([weight * weight for weight in incoming]) for incoming in self.hidden]
        self.changes += 1
        for i in range(len(self.hidden)):
            self.change_neuron(i, eta * half[self.active[i]], eta * half[2 + self.active[i]])
        for i in range(len(self.output)):
            self.change_output(i, eta * half[i == winner], eta * half[2 + (i == winner)])

    def change_neuron(self, i: int, passive: float, active: float) -> None:
        pre = [*self.inputs, 1]
        n, k = float(len(pre)), float(sum(pre))
        cross = passive * self.total[i] + (active - passive) * self.sums[i]
        length = self.square[i] + (cross + cross) + ((n - k) * passive * passive + k * active * active)
        factor = 1.0 / math.sqrt(length) if length > 0.0 else 1.0
        self.total[i] = (self.total[i] + (n * passive + k * (active - passive))) * factor
        self.square[i] = length * factor * factor
        self.hidden[i] = [
            vanishing((weight + active) * factor) if is_active else (weight + passive) * factor
            for weight, is_active in zip(self.hidden[i], pre, strict=True)
        ]

    def change_output(self, i: int, passive: float, active: float) -> None:
        """As the paper writes it."""
        pre = [*self.active, 1]
        changed = [weight + (active if fires else passive) for weight, fires in zip(self.output[i], pre, strict=True)]
        square = in_order([weight * weight for weight in changed])
        factor = 1.0 / math.sqrt(square) if square > 0.0 else 1.0
        self.output[i] = [weight * factor for weight in changed]


def vanishing(weight: float) -> float:
    return weight if abs(weight) > 2.0**-500 else 0.0


def in_order(numbers: list[float]) -> float:
    """Their sum, one after another: Python's own `sum` corrects rounding since 3.12."""
    total = 0.0
    for number in numbers:
        total += number
    return total
