"""What has to be lived for a study of long lives, in works so small that an interrupt costs little."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from hebbarium.executors.base import Done, Executor
from hebbarium.life.observers import Observer
from hebbarium.store.kept_arrays import Arrays, Piece
from hebbarium.studies.engine import Work
from hebbarium.studies.lifelong.measures import first_seasons
from hebbarium.studies.lifelong.observers import FADING, Fading, Punished, Tests, Windows
from hebbarium.studies.lifelong.subjects import Subject

WINDOW = 250
"""Steps over which a rate is taken."""
TEMPO_LENGTHS = (500, 1000, 2000, 5000, 10_000, 20_000)
"""Steps of a season."""
TEMPO_STEPS = 2 * max(TEMPO_LENGTHS)
"""Of a life, the same for all lengths, so that none is older."""
MILLION = 1e6


def work_of(part: str, subject: Subject, **changes: Any) -> Work:
    """Lives of one subject. part: `life`, `first`, `alone` or `tempo`. changes: settings of the world that differ."""
    world = dataclasses.replace(subject.world, **changes)
    lives, seasons, counts = len(subject.jobs), world.seasons, len(world.counts)
    observers: list[Observer] = [] if part == "tempo" else [Windows(WINDOW)]
    windows = (Windows(WINDOW).windows(world),) if observers else ()
    holds: dict[str, Any] = {"counts": ("i", (lives, seasons, *windows, counts))}
    if part == "life":
        observers += [Punished(), Fading(), Tests()]
        holds["punished"] = ("i", (lives, seasons))
        holds["fading"] = ("f", (lives, seasons + 1, len(FADING)))
        holds["tests"] = ("f", (lives, seasons + 1, len(world.kinds)))

    def do(executor: Executor, done: Done) -> Arrays:
        outcome = subject.live(executor, observers, done, **changes)
        seen = {name: array for room in outcome.seen for name, array in room.items()}
        return seen or {"counts": outcome.counts}

    piece = Piece.of(part, {"who": subject.key, "window": WINDOW, **changes}).holding(**holds)
    return Work(piece, do, lives * world.steps / MILLION, world.steps / MILLION)


def life(subject: Subject) -> Work:
    """The long life, with all that is looked at."""
    return work_of("life", subject)


def first(subject: Subject) -> Work:
    """Until every kind of season was met once; seasons of each life's own are others in a shorter life."""
    if subject.world.own_seasons:
        return work_of("first", subject)
    return work_of("first", subject, seasons=1 + max(first_seasons(subject.world.season_kinds).values()))


def alone(subject: Subject) -> dict[int, Work]:
    """By kind, a life of that season alone, with as many of them as in the long life."""
    world = subject.world
    return {
        kind: work_of("alone", subject, schedule=world.kinds[kind], seasons=world.season_kinds.count(kind))
        for kind in first_seasons(world.season_kinds)
    }


def tempo(subject: Subject) -> dict[int, Work]:
    """By the length of a season."""
    return {
        length: work_of("tempo", subject, season_steps=length, seasons=TEMPO_STEPS // length)
        for length in TEMPO_LENGTHS
    }


def works_of(subject: Subject) -> Iterator[Work]:
    yield life(subject)
    yield from alone(subject).values()
    yield from tempo(subject).values()
