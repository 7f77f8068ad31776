"""Where lives are lived. Everything that lives, in every verb, goes through `run`.

Work is cut into pieces: a piece is a frozen description that can be sent anywhere and knows how to live itself. An
executor lives pieces wherever it likes, in any order, and gives their outcomes back in the order they were given: what
became of a life never depends on it. To add one: a class with what `Executor` says (see `threads.py`).
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from hebbarium.brains.base import Brain
from hebbarium.brains.network_files import Networks
from hebbarium.life.batch import Batch
from hebbarium.life.dispatch import Kind
from hebbarium.life.jobs import Jobs
from hebbarium.life.observers import Observer
from hebbarium.rules.shape import SIGNALS
from hebbarium.worlds.base import World

BATCH, OBSERVED_BATCH = 96, 192
"""Lifetimes in a batch where memory allows; more where observers often stop it to look at them."""
Done = Callable[[float], object]
"""Called with how many more lifetimes are over."""


class Piece(Protocol):
    """Some work for one pair of hands."""

    @property
    def like(self) -> Hashable:
        """Pieces with the same take about as long for each lifetime."""

    def __len__(self) -> int:
        """Lifetimes in it, for showing progress."""

    def live(self, stop: threading.Event) -> Any:
        """What becomes of it; anything, once `stop` is set."""


class Executor(Protocol):
    @property
    def hands(self) -> int:
        """How many pieces are worked on at once."""

    @property
    def seconds(self) -> float:
        """How long the pieces given at once should take all hands: what a kill can lose, and all wait for the last."""

    @property
    def words(self) -> str:
        """What a display says about it."""

    def run(self, pieces: Sequence[Piece], done: Done | None = None) -> list[Any]:
        """The outcomes, in the order of the pieces. Interrupted, it stops the pieces in hand and raises."""


@dataclass(frozen=True)
class Outcome:
    """What became of some lives, in their order."""

    counts: np.ndarray
    """int64 [lifetime, season, count]"""
    seen: list[dict[str, np.ndarray]] = field(default_factory=list)
    """For each observer what it saw: arrays [lifetime, ...] by name."""

    @classmethod
    def joined(cls, parts: Sequence[Outcome]) -> Outcome:
        """One after the other; in C order, as a store returns arrays: sums over another order have other bits."""
        rooms = zip(*(part.seen for part in parts), strict=True)

        def one(arrays: Iterable[np.ndarray]) -> np.ndarray:
            return np.ascontiguousarray(np.concatenate(list(arrays)))

        return cls(
            one(part.counts for part in parts),
            [{name: one(room[name] for room in some) for name in some[0]} for some in rooms],
        )


@dataclass(frozen=True)
class LivesPiece:
    """A batch of lives."""

    world: World
    brain: Brain
    jobs: Jobs
    observers: tuple[Observer, ...] = ()
    networks: Networks | None = None
    kind: Kind = "network"

    @property
    def like(self) -> Hashable:
        return self.world, self.brain, self.observers, self.kind

    def __len__(self) -> int:
        return len(self.jobs)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """What is known of its outcome beforehand, to check what comes back from elsewhere."""
        return {"counts": (len(self.jobs), self.world.seasons, len(self.world.counts))}

    def live(self, stop: threading.Event) -> Outcome:
        batch = Batch.of(self.world, self.brain, self.jobs, self.networks, self.kind)
        seen = batch.live(stop, self.observers)
        return Outcome(batch.counts.swapaxes(0, 1), seen)

    def part(self, rows: slice) -> LivesPiece:
        networks = None if self.networks is None else self.networks[rows]
        return dataclasses.replace(self, jobs=self.jobs[rows], networks=networks)


def run(
    executor: Executor | int | None,
    world: World,
    brain: Brain,
    jobs: Jobs,
    observers: Sequence[Observer] = (),
    *,
    networks: Networks | None = None,
    kind: Kind = "network",
    batch: int | None = None,
    done: Done | None = None,
) -> Outcome:
    """Live all jobs. executor: an Executor, a number of threads, or None for one thread a core.

    kind: whose mind acts. batch: lives in a batch, for tests: it changes nothing. done: called after each batch."""
    from hebbarium.executors.threads import executor_of

    executor = executor_of(executor)
    whole = LivesPiece(world, brain, jobs, tuple(observers), networks, kind)
    alone = world.own_seasons or any(observer.alone for observer in observers)
    size = 1 if alone else batch or batch_size(world, brain, OBSERVED_BATCH if observers else BATCH)
    pieces = [whole.part(rows) for rows in batches(len(jobs), size, 1 if batch else executor.hands)]
    return Outcome.joined(executor.run(pieces, done))


def batch_size(world: World, brain: Brain, most: int = BATCH) -> int:
    """As many lives as stay in little memory."""
    state = sum(array.nbytes for array in world.new_state(1))
    weights = brain.weights(world.all_inputs, world.outputs) * (1 + len(SIGNALS) * (brain.trace > 0))
    return max(1, min(most, int(256e6 / (8 * weights + 2 * state))))


def batches(jobs: int, size: int, hands: int) -> Iterator[slice]:
    """Jobs in batches of up to `size`, for several hands smaller and smaller towards the end.

    So the last one is not waited for long. Batches fill lanes, eight at a time, while they can.
    """
    start = 0
    while start < jobs:
        share = size if hands == 1 else -(-(jobs - start) // (2 * hands * 8)) * 8
        stop = min(start + min(size, share), jobs)
        yield slice(start, stop)
        start = stop
