"""Foraging in idiomatic JAX: x64, `vmap` over lifetimes, `scan` over steps, `jit` around both.

Choices that were measured on CPU: the grid is uint8 and written in place by one small scatter at every
step (looking for items in a list of 100 positions is slower); random words for many steps are drawn at
once; the reinforcement is a table; unrolling the scan does not pay. `branching` leaves the learning out
of a step in which no lifetime of the batch learns: a real branch, which `vmap` alone cannot have.
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
from hebbarium.worlds.foraging import Foraging, reinforcement

WORDS = 4
"""Random words of a step: one for a random action, three candidates for a new item's cell."""
MOST_STEPS = 250
"""Steps whose random words are drawn at once."""


class Life(NamedTuple):
    hidden: jax.Array
    """float64 [input or bias, neuron]"""
    output: jax.Array
    """float64 [output, neuron or bias]"""
    grid: jax.Array
    """uint8 [position]"""
    position: jax.Array
    direction: jax.Array
    counts: jax.Array
    """int32 [count]: green, blue, walls"""


class Lesson(NamedTuple):
    """What one step teaches."""

    senses: jax.Array
    active: jax.Array
    action: jax.Array
    delta: jax.Array
    changes: jax.Array


def live(rule: Rule, lifetimes: int, seed: int, task: Foraging, batch: int, branching: bool) -> np.ndarray:
    """int64 [lifetime, season, count] of whole lives; lifetimes is a multiple of the batch."""
    parts = [_live_batch(rule, seed, number, task, batch, branching) for number in range(lifetimes // batch)]
    return np.concatenate(parts)


def _live_batch(rule: Rule, seed: int, number: int, task: Foraging, batch: int, branching: bool) -> np.ndarray:
    birth, *keys = jax.random.split(jax.random.fold_in(jax.random.key(seed), number), task.seasons + 1)
    delta = jnp.array(rule.entries, jnp.float64).reshape(2, 2, 2) * rule.eta
    tables = jnp.asarray(reinforcement(task.priority)[0].reshape(2, -1))
    lives = _bear(jax.random.split(birth, batch), task)
    seasons = []
    for key, kind in zip(keys, task.season_kinds, strict=True):
        lives, counts = _live_season(lives, key, tables[kind], delta, task, branching)
        seasons.append(counts)
    return np.stack([np.asarray(counts) for counts in seasons], axis=1).astype(np.int64)


@partial(jax.jit, static_argnames="task")
def _bear(keys: jax.Array, task: Foraging) -> Life:
    return jax.vmap(partial(_bear_one, task))(keys)


def _bear_one(task: Foraging, key: jax.Array) -> Life:
    """Items are placed one after another: `jax.random.choice` without replacement sorts all cells, for 8 ms a life."""
    *brain, things, turn = jax.random.split(key, 4)
    side, items = task.full_side, task.green + task.blue
    words = jax.random.bits(things, (items + 1, 3), jnp.uint32)
    agent = _cells(task, words[0])[0]
    grid = jnp.full((side, side), 3, jnp.uint8).at[1:-1, 1:-1].set(0).reshape(-1)

    def place(grid: jax.Array, item: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, None]:
        words, thing = item
        cells = _cells(task, words)
        return _put(grid, _first_free(cells, _look(grid, cells[:2]), agent), thing), None

    colours = jnp.where(jnp.arange(items) < task.green, 2, 1).astype(jnp.uint8)
    grid = lax.scan(place, grid, (words[1:], colours))[0]
    hidden, output = (
        jax_network.born(brain[0], task.default_hidden, 7).T,
        jax_network.born(brain[1], 3, task.default_hidden + 1),
    )
    direction = jax.random.randint(turn, (), 0, 4, jnp.int32)
    return Life(hidden, output, grid, agent, direction, jnp.zeros(3, jnp.int32))


def _cells(task: Foraging, words: jax.Array) -> jax.Array:
    """The positions of random cells inside the wall."""
    cells = (words.astype(jnp.uint64) * np.uint64(task.free_side**2) >> np.uint64(32)).astype(jnp.int32)
    return (cells // task.free_side + 1) * task.full_side + cells % task.free_side + 1


def _look(grid: jax.Array, where: jax.Array) -> jax.Array:
    return grid.at[where].get(mode="promise_in_bounds").astype(jnp.int32)


def _first_free(cells: jax.Array, seen: jax.Array, agent: jax.Array) -> jax.Array:
    """The first of three candidates that is empty; the third, needed once in ten thousand items, is taken unseen."""
    is_free = (seen == 0) & (cells[:2] != agent)
    return jnp.where(is_free[0], cells[0], jnp.where(is_free[1], cells[1], cells[2]))


@partial(jax.jit, static_argnames=("task", "branching"), donate_argnames="lives")
def _live_season(lives: Life, key: jax.Array, table, delta, task: Foraging, branching: bool) -> tuple[Life, jax.Array]:
    steps = next(n for n in range(min(MOST_STEPS, task.season_steps), 0, -1) if task.season_steps % n == 0)
    shape = (steps, lives.position.shape[0], WORDS)
    act, learn = jax.vmap(partial(_act, task, table, delta)), jax.vmap(_learn)

    def step(lives: Life, words: jax.Array) -> tuple[Life, None]:
        moved, lesson, where, what = act(lives, words)
        if branching:
            hidden, output = lax.cond(lesson.changes.any(), learn, _keep, lives.hidden, lives.output, lesson)
        else:
            hidden, output = learn(lives.hidden, lives.output, lesson)
        return moved._replace(hidden=hidden, output=output, grid=jax.vmap(_put)(lives.grid, where, what)), None

    def part(lives: Life, key: jax.Array) -> tuple[Life, None]:
        return lax.scan(step, lives, jax.random.bits(key, shape, jnp.uint32))

    lives = lives._replace(counts=jnp.zeros_like(lives.counts))
    lives = lax.scan(part, lives, jax.random.split(key, task.season_steps // steps))[0]
    return lives, lives.counts


def _ahead(side: int, direction: jax.Array) -> jax.Array:
    """What one cell ahead adds to a position: -side, 1, side, -1."""
    direction = direction & 3
    return jnp.where(direction & 1 == 1, 2 - direction, (direction - 1) * side)


def _act(task: Foraging, table, delta, life: Life, words: jax.Array):
    """Sense, act and move. Returns the life, its lesson, and which cells now hold what."""
    side, position, direction = task.full_side, life.position, life.direction
    cells = _cells(task, words[1:])
    around = [position + _ahead(side, direction + turn) for turn in (3, 0, 1)]
    seen = _look(life.grid, jnp.stack([*around, cells[0], cells[1]]))
    left, front, right = seen[0], seen[1], seen[2]
    senses = jnp.stack([bit for thing in (left, front, right) for bit in (thing > 1, thing & 1 == 1)] + [True])
    active = jax_network.hidden_active(life.hidden, senses)
    chosen = jnp.argmax(jax_network.output_sums(life.output, active)).astype(jnp.int32)
    random = words[0] >> np.uint32(8) < np.uint32(task.random_action * 2**24)
    # The low eight bits, which the line above leaves out, choose among three (to within 1 in 256).
    action = jnp.where(random, ((words[0] & np.uint32(255)) * np.uint32(3) >> np.uint32(8)).astype(jnp.int32), chosen)

    signal = table.at[(left * 16 + front * 4 + right) * 3 + action].get(mode="promise_in_bounds")
    half = jnp.where(signal < 0, delta[0], delta[1])
    changes = (signal != 0) & ~random & (half != 0.0).any()
    lesson = Lesson(senses, active, action, jnp.where(changes, half, 0.0), changes)

    direction = (direction + action + 3) & 3
    target = position + _ahead(side, direction)
    thing = jnp.where(action == 0, left, jnp.where(action == 1, front, right))
    collected = (thing == 1) | (thing == 2)
    new = _first_free(cells, seen[3:], target)
    # Where nothing is collected, wall is written on the wall's corner: a scatter at every step stays in place.
    where = jnp.where(collected, jnp.stack([target, new]), 0)
    what = jnp.where(collected, jnp.stack([jnp.zeros_like(thing), thing]), 3).astype(jnp.uint8)
    counts = life.counts + jnp.stack([thing == 2, thing == 1, thing == 3]).astype(jnp.int32)
    position = jnp.where(thing == 3, position, target)
    return life._replace(position=position, direction=direction, counts=counts), lesson, where, what


def _learn(hidden: jax.Array, output: jax.Array, lesson: Lesson) -> tuple[jax.Array, jax.Array]:
    senses, active, action, delta, changes = lesson
    return (
        jax_network.change_columns(hidden, senses, active[:-1], delta, changes),
        jax_network.change_rows(output, active, jnp.arange(3) == action, delta, changes),
    )


def _keep(hidden: jax.Array, output: jax.Array, lesson: Lesson) -> tuple[jax.Array, jax.Array]:
    return hidden, output


def _put(grid: jax.Array, where: jax.Array, what: jax.Array) -> jax.Array:
    return grid.at[where].set(what, mode="promise_in_bounds")
