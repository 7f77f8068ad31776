"""What has to be lived for a study, in works that are small enough to be lost: each gives arrays.

A work says what is asked; together with the study's settings that decides its arrays to the last bit.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hebbarium.executors.base import Done, Executor
from hebbarium.store.pieces import Arrays, Piece
from hebbarium.studies.lifelong.observers import Fading, Punished, Tests, Windows
from hebbarium.studies.lifelong.recovery import first_seasons
from hebbarium.studies.lifelong.subjects import Subject

WINDOW = 250
"""Steps over which a rate is taken."""
TEMPO_LENGTHS = (500, 1000, 2000, 5000, 10_000, 20_000)
"""Steps of a season."""
TEMPO_STEPS = 2 * max(TEMPO_LENGTHS)
"""Of a life, the same for all lengths, so that none is older."""


@dataclass(frozen=True)
class Work:
    """Lives of one subject."""

    part: str
    """`life`, `first`, `alone` or `tempo`."""
    subject: Subject
    changes: tuple[tuple[str, Any], ...] = ()
    """Settings of the world that differ from the study's."""

    @property
    def piece(self) -> Piece:
        """What it is called in a run, by everything that decides what becomes of it beside the study's settings."""
        return Piece.of(self.part, {"who": self.subject.key, "window": WINDOW, **dict(self.changes)})

    @property
    def steps(self) -> int:
        """Of one life."""
        return dataclasses.replace(self.subject.world, **dict(self.changes)).steps

    def __len__(self) -> int:
        """Lifetimes."""
        return len(self.subject.jobs)

    def do(self, executor: Executor | int | None = None, done: Done | None = None) -> Arrays:
        observers = [Windows(WINDOW), Punished(), Fading(), Tests()] if self.part == "life" else [Windows(WINDOW)]
        if self.part == "tempo":
            return {"counts": self.subject.live(executor, (), done, **dict(self.changes)).counts}
        seen = self.subject.live(executor, observers, done, **dict(self.changes)).seen
        return {name: array for room in seen for name, array in room.items()}


def life(subject: Subject) -> Work:
    """The long life, with all that is looked at."""
    return Work("life", subject)


def first(subject: Subject) -> Work:
    """Until every kind of season was met once."""
    seasons = 1 + max(first_seasons(subject.world.season_kinds).values())
    return Work("first", subject, (("seasons", seasons),))


def alone(subject: Subject) -> dict[int, Work]:
    """By kind, a life of that season alone, with as many of them as in the long life."""
    world = subject.world
    return {
        kind: Work("alone", subject, (("schedule", world.kinds[kind]), ("seasons", world.season_kinds.count(kind))))
        for kind in first_seasons(world.season_kinds)
    }


def tempo(subject: Subject) -> dict[int, Work]:
    """By the length of a season."""
    return {
        length: Work("tempo", subject, (("season_steps", length), ("seasons", TEMPO_STEPS // length)))
        for length in TEMPO_LENGTHS
    }


def works_of(subject: Subject) -> Iterator[Work]:
    yield life(subject)
    yield from alone(subject).values()
    yield from tempo(subject).values()
