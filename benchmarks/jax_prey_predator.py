"""Prey-predator in idiomatic JAX: x64, `vmap` over lifetimes, `scan` over steps and, within one, over objects.

Choices that were measured on CPU: hidden weights as [neuron, input], because there the product with the
senses is fastest; a grid that objects are added to and taken from, because several may share a cell.
`branching` is as in `jax_foraging.py`.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import jax_network
from hebbarium.rules.rule import Rule
from hebbarium.worlds.prey_predator import MOVES, PreyPredator, nears, reinforcement

BORDER = 4
"""Cells of wall on every side: as far as the agent sees."""
ONE_GREEN, ONE_BLUE, WALL = 16, 1, 255
"""What the grid holds: the sum over a cell's objects, or wall."""
WORDS = 4
"""Random words of a step, beside one for each object: random action, ties, three candidates in two words."""
MOST_STEPS = 100
"""Steps whose random words are drawn at once."""


class Life(NamedTuple):
    hidden: jax.Array
    """float64 [neuron, input or bias]"""
    output: jax.Array
    """float64 [output, neuron or bias]"""
    grid: jax.Array
    """uint8 [position]"""
    objects: jax.Array
    """int32 [object]: positions, the green ones first"""
    position: jax.Array
    direction: jax.Array
    counts: jax.Array
    """int32 [count]: collected, caught, walls"""


class Lesson(NamedTuple):
    """What one step teaches."""

    senses: jax.Array
    active: jax.Array
    action: jax.Array
    delta: jax.Array
    changes: jax.Array


class World(NamedTuple):
    """What never changes in a life, as constants of the compiled code."""

    row: int
    """Cells in a row of the grid."""
    free: int
    ahead: np.ndarray
    """int32 [direction]: what one cell ahead adds to a position."""
    seen: np.ndarray
    """int32 [direction, sensed cell]: what each sensed cell's position is from the agent's."""
    rank: np.ndarray
    """int32 [sensed cell]: twice the squared distance."""
    nears: np.ndarray
    """int32 [sensed cell, action]: 1 where the action aims at a cell nearer to it."""
    codes: np.ndarray
    """uint8 [object]: what it adds to its cell."""


def world_of(task: PreyPredator) -> World:
    row = task.free_side + 2 * BORDER
    ahead = np.array([-row, 1, row, -1], np.int32)
    forth, aside = np.array(task.view, np.int32).T
    return World(
        row=row,
        free=task.free_side,
        ahead=ahead,
        seen=forth * ahead[:, None] + aside * np.roll(ahead, -1)[:, None],
        rank=2 * (forth**2 + aside**2),
        nears=np.array([[nears(cell, action) for action in MOVES] for cell in task.view], np.int32),
        codes=np.array([ONE_GREEN] * task.green + [ONE_BLUE] * task.blue, np.uint8),
    )


def live(rule: Rule, lifetimes: int, seed: int, task: PreyPredator, batch: int, branching: bool) -> np.ndarray:
    """int64 [lifetime, season, count] of whole lives; lifetimes is a multiple of the batch."""
    parts = [_live_batch(rule, seed, number, task, batch, branching) for number in range(lifetimes // batch)]
    return np.concatenate(parts)


def _live_batch(rule: Rule, seed: int, number: int, task: PreyPredator, batch: int, branching: bool) -> np.ndarray:
    birth, *keys = jax.random.split(jax.random.fold_in(jax.random.key(seed), number), task.seasons + 1)
    delta = jnp.array(rule.entries, jnp.float64).reshape(2, 2, 2) * rule.eta
    tables = jnp.asarray(reinforcement()[0])
    lives = _bear(jax.random.split(birth, batch), task)
    seasons = []
    for key, kind in zip(keys, task.season_kinds, strict=True):
        prey = (jnp.arange(task.green + task.blue) < task.green) == (kind == 0)
        lives, counts = _live_season(lives, key, prey, tables[kind], delta, task, branching)
        seasons.append(counts)
    return np.stack([np.asarray(counts) for counts in seasons], axis=1).astype(np.int64)


@partial(jax.jit, static_argnames="task")
def _bear(keys: jax.Array, task: PreyPredator) -> Life:
    return jax.vmap(partial(_bear_one, task, world_of(task)))(keys)


def _bear_one(task: PreyPredator, world: World, key: jax.Array) -> Life:
    *brain, things, turn = jax.random.split(key, 4)
    words = jax.random.bits(things, (len(world.codes) + 1, 3), jnp.uint32)
    agent = _cells(world, words[0])[0]
    inside = slice(BORDER, BORDER + world.free)
    grid = jnp.full((world.row, world.row), WALL, jnp.uint8).at[inside, inside].set(0).reshape(-1)

    def place(grid: jax.Array, item: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        words, code = item
        cell = _first_free(_cells(world, words), grid, agent)
        return grid.at[cell].set(code), cell

    grid, objects = lax.scan(place, grid, (words[1:], jnp.asarray(world.codes)))
    hidden = jax_network.born(brain[0], task.default_hidden, task.inputs + 1)
    output = jax_network.born(brain[1], 3, task.default_hidden + 1)
    direction = jax.random.randint(turn, (), 0, 4, jnp.int32)
    return Life(hidden, output, grid, objects, agent, direction, jnp.zeros(3, jnp.int32))


def _cells(world: World, words: jax.Array) -> jax.Array:
    """The positions of random cells inside the wall."""
    cells = (words.astype(jnp.uint64) * np.uint64(world.free**2) >> np.uint64(32)).astype(jnp.int32)
    return (cells // world.free + BORDER) * world.row + cells % world.free + BORDER


def _first_free(cells: jax.Array, grid: jax.Array, agent: jax.Array) -> jax.Array:
    """The first of three candidates that is empty; the third is hardly ever needed, and taken unseen."""
    is_free = (_look(grid, cells[:2]) == 0) & (cells[:2] != agent)
    return jnp.where(is_free[0], cells[0], jnp.where(is_free[1], cells[1], cells[2]))


def _look(grid: jax.Array, where: jax.Array) -> jax.Array:
    return grid.at[where].get(mode="promise_in_bounds")


@partial(jax.jit, static_argnames=("task", "branching"), donate_argnames="lives")
def _live_season(
    lives: Life, key: jax.Array, prey: jax.Array, table, delta, task: PreyPredator, branching: bool
) -> tuple[Life, jax.Array]:
    world = world_of(task)
    steps = next(n for n in range(min(MOST_STEPS, task.season_steps), 0, -1) if task.season_steps % n == 0)
    shape = (steps, lives.position.shape[0], WORDS + len(world.codes))
    act = jax.vmap(partial(_act, task, world, prey, table, delta))
    move, learn = jax.vmap(partial(_move_objects, task, world, prey)), jax.vmap(_learn)

    def step(lives: Life, words: jax.Array) -> tuple[Life, None]:
        moved, lesson = act(lives, words[:, :WORDS])
        moved = move(moved, words[:, WORDS:])
        if branching:
            hidden, output = lax.cond(lesson.changes.any(), learn, _keep, lives.hidden, lives.output, lesson)
        else:
            hidden, output = learn(lives.hidden, lives.output, lesson)
        return moved._replace(hidden=hidden, output=output), None

    def part(lives: Life, key: jax.Array) -> tuple[Life, None]:
        return lax.scan(step, lives, jax.random.bits(key, shape, jnp.uint32))

    lives = lives._replace(counts=jnp.zeros_like(lives.counts))
    lives = lax.scan(part, lives, jax.random.split(key, task.season_steps // steps))[0]
    return lives, lives.counts


def _act(task: PreyPredator, world: World, prey, table, delta, life: Life, words: jax.Array) -> tuple[Life, Lesson]:
    """Sense, act and move; a prey in the cell entered reappears elsewhere."""
    view = _look(life.grid, life.position + jnp.asarray(world.seen)[life.direction])
    is_wall = view == WALL
    thing = jnp.where(is_wall, 3, jnp.where(view >= ONE_GREEN, 2, jnp.where(view > 0, 1, 0)))
    senses = jnp.append(jnp.stack([thing > 1, thing & 1 == 1], axis=1).reshape(-1), True)
    active = jnp.append(life.hidden @ senses.astype(jnp.float64) > 0.0, True)
    chosen = _largest(jax_network.output_sums(life.output, active), words[1])
    random = words[0] >> np.uint32(8) < np.uint32(task.random_action * 2**24)
    action = jnp.where(random, ((words[0] & np.uint32(255)) * np.uint32(3) >> np.uint32(8)).astype(jnp.int32), chosen)
    signal = _signal(world, table, thing, action, words[1])
    half = jnp.where(signal < 0, delta[0], delta[1])
    changes = (signal != 0) & ~random & (half != 0.0).any()
    lesson = Lesson(senses, active, action, jnp.where(changes, half, 0.0), changes)

    direction = (life.direction + action + 3) & 3
    target = life.position + jnp.asarray(world.ahead)[direction]
    bump = _look(life.grid, target) == WALL
    position = jnp.where(bump, life.position, target)
    collected = (life.objects == position) & prey
    cell = _first_free(_cells(world, jnp.stack([words[2], words[3], words[2] ^ words[3]])), life.grid, position)
    objects = jnp.where(collected, cell, life.objects)
    # One prey at most stands in the cell; where none does, nothing is added to the corner.
    code = jnp.max(jnp.where(collected, jnp.asarray(world.codes), 0))
    where = jnp.where(code > 0, jnp.stack([position, cell]), 0)
    grid = life.grid.at[where].add(jnp.stack([-code, code]), mode="promise_in_bounds")
    counts = life.counts + jnp.stack([code > 0, False, bump]).astype(jnp.int32)
    life = life._replace(grid=grid, objects=objects, position=position, direction=direction, counts=counts)
    return life, lesson


def _largest(sums: jax.Array, word: jax.Array) -> jax.Array:
    """The output with the largest sum; ties at random."""
    return _nth(sums == sums.max(), word & np.uint32(0xFFFF))


def _nth(among: jax.Array, word: jax.Array) -> jax.Array:
    """A random one of the few places that are True, from a word of 16 bits."""
    number = among.astype(jnp.int32)
    chosen = (word.astype(jnp.int32) * number.sum()) >> 16
    found, passed = jnp.zeros((), jnp.int32), jnp.zeros((), jnp.int32)
    for place in range(among.shape[0]):
        found = jnp.where((number[place] == 1) & (passed == chosen), place, found)
        passed = passed + number[place]
    return found


def _signal(world: World, table, thing: jax.Array, action: jax.Array, word: jax.Array) -> jax.Array:
    """The reinforcement for the closest thing in view: objects before walls, else ties at random."""
    cells = np.arange(len(world.rank), dtype=np.int32)
    # Places are taken exclusive-or a random number: of two that tie, each comes first half the time.
    mask = (word >> np.uint32(26)).astype(jnp.int32)
    rank = (jnp.asarray(world.rank) + (thing == 3)) * 64 + (cells ^ mask)
    best = jnp.min(jnp.where(thing > 0, rank, 1 << 20))
    cell = jnp.minimum((best & 63) ^ mask, len(cells) - 1)
    nothing = best == 1 << 20
    behaviour = jnp.where(nothing, (action != 1).astype(jnp.int32), jnp.asarray(world.nears)[cell, action])
    return table[jnp.where(nothing, 0, thing[cell]), behaviour]


def _move_objects(task: PreyPredator, world: World, prey, life: Life, words: jax.Array) -> Life:
    """One after another, each to a random free neighbour, or away from or towards the agent."""
    steps = jnp.asarray(world.ahead)

    def move(state, item):
        grid, caught = state
        here, prey, code, word = item
        there = here + steps
        at_agent = there == life.position
        is_free = jnp.where(at_agent, ~prey, _look(grid, there) == 0)
        noticed = (_square(world, here, life.position) <= task.notice_square) & (
            word >> np.uint32(16) < np.uint32(task.notice_probability * 2**16)
        )
        squares = _square(world, there, life.position)
        gain = jnp.where(is_free, jnp.where(noticed, jnp.where(prey, squares, -squares), 0), -(1 << 20))
        target = there[_nth(is_free & (gain == gain.max()), word & np.uint32(0xFFFF))]
        target = jnp.where(is_free.any(), target, here)
        grid = grid.at[jnp.stack([here, target])].add(jnp.stack([-code, code]), mode="promise_in_bounds")
        return (grid, caught + ((target == life.position) & (target != here))), target

    items = (life.objects, prey, jnp.asarray(world.codes), words)
    (grid, caught), objects = lax.scan(move, (life.grid, jnp.zeros((), jnp.int32)), items)
    return life._replace(grid=grid, objects=objects, counts=life.counts.at[1].add(caught))


def _square(world: World, cell: jax.Array, agent: jax.Array) -> jax.Array:
    """The squared distance of two positions."""
    rows, columns = cell // world.row - agent // world.row, cell % world.row - agent % world.row
    return rows * rows + columns * columns


def _learn(hidden: jax.Array, output: jax.Array, lesson: Lesson) -> tuple[jax.Array, jax.Array]:
    senses, active, action, delta, changes = lesson
    return (
        jax_network.change_rows(hidden, senses, active[:-1], delta, changes),
        jax_network.change_rows(output, active, jnp.arange(3) == action, delta, changes),
    )


def _keep(hidden: jax.Array, output: jax.Array, lesson: Lesson) -> tuple[jax.Array, jax.Array]:
    return hidden, output
