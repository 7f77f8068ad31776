"""An evolution, finished or still running, as a page shows it. The run is only read."""

from __future__ import annotations

import itertools
import math
import os
import time
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any, ClassVar

from hebbarium.errors import BadInput, plain
from hebbarium.evolution.distinct import rule_of_row
from hebbarium.evolution.evolution import Evolution
from hebbarium.evolution.lineage import SEARCH
from hebbarium.graded import KINDS, ungraded, weights_of
from hebbarium.runs.records import Record
from hebbarium.runs.store import Run
from hebbarium.worlds.base import World

MOST_CURVES, MOST_POINTS, MOST_ROWS = 12, 240, 60


class Evolving:
    EVERY: ClassVar[float] = 1.0
    """Seconds between two looks."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.run = Run.open(path)
        if self.run.kind != "evolve":
            raise BadInput(f"{path} is a run of {self.run.kind}; only runs of evolve can be watched.")
        self.name = self.run.folder.resolve().name
        self.evolution = Evolution.of_configuration(self.run.configuration)
        self._seen: dict[str, Any] = {}
        self._updated: object = None
        self._next = 0.0

    @property
    def world(self) -> World:
        return self.evolution.task

    def look(self) -> dict[str, Any]:
        """How far it is. A long run takes a while to read, and is read so much more rarely."""
        start = time.monotonic()
        if start < self._next:
            return self._seen
        evaluations, lifetimes = self.run.totals(SEARCH)
        finished = self.run.finished
        if (evaluations, finished) != self._updated:
            self._updated = evaluations, finished
            self._seen = self._read(evaluations, lifetimes, finished)
        self._next = time.monotonic() + 10 * (time.monotonic() - start)
        return self._seen

    def _read(self, evaluations: int, lifetimes: int, finished: str | None) -> dict[str, Any]:
        records = self.run.evaluations(SEARCH)
        runs = [list(some) for _, some in itertools.groupby(records, key=lambda record: record.run)]
        return {
            "type": "run",
            "name": self.name,
            "task": self.world.name,
            "search": self.evolution.search,
            "runs": self.evolution.runs,
            "hidden": self.evolution.hidden,
            "finished": finished,
            "evaluations": evaluations,
            "lifetimes": lifetimes,
            "curves": (self._stored_curves() or [curve(some) for some in runs])[:MOST_CURVES],
            "population": population(itertools.chain.from_iterable(map(last_generation, runs)), self.evolution),
            "found": [found(row, self.evolution) for row in (self.run.result("rules") or [])[:MOST_ROWS]],
        }

    def _stored_curves(self) -> list[list[list[float]]]:
        """As the searches themselves saw it, once all are finished."""
        return [
            thinned([[moment["generation"], round(moment["best"], 2), round(moment["mean"], 2)] for moment in history])
            for history in self.run.result("curves") or []
        ]


def curve(records: list[Record]) -> list[list[float]]:
    """Generation, the best evaluation so far, and the mean of the generation's own, while a search is on its way."""
    whole, best = [], -math.inf
    for generation, some in itertools.groupby(records, key=lambda record: record.generation):
        means = [record.mean for record in some]
        best = max(best, *means)
        whole.append([generation, round(best, 2), round(fmean(means), 2)])
    return thinned(whole)


def thinned(points: list[list[float]]) -> list[list[float]]:
    """Of many, some evenly chosen, the last among them."""
    stride = -(-len(points) // MOST_POINTS) or 1
    return points[::-1][::stride][::-1]


def last_generation(records: list[Record]) -> list[Record]:
    return [record for record in records if record.generation == records[-1].generation]


def population(records: Iterable[Record], evolution: Evolution) -> list[dict[str, Any]]:
    """Best first."""
    best = sorted(records, key=lambda record: -record.mean)[:MOST_ROWS]
    return [
        {
            "rule": "" if record.rule is None else ungraded(record.rule).text,
            "shown": "" if record.rule is None else ungraded(record.rule).short_text,
            **_lived_with(evolution, {kind: weights_of(record.rule, kind) for kind in KINDS}),
            "fitness": round(record.mean, 2),
            "lifetimes": record.lifetimes,
            "search": record.run,
            "generation": record.generation,
        }
        for record in best
    ]


def found(row: dict[str, Any], evolution: Evolution) -> dict[str, Any]:
    """Of rules with weights of their own, the best instance is put into the world."""
    best = row.get("best") or {}
    return {
        "rule": best.get("rule") or rule_of_row(row).text,
        **_lived_with(evolution, best),
        "fitness": round(row["median"], 2),
        "count": row["count"],
        "words": row["words"],
    }


def _lived_with(evolution: Evolution, own: Mapping[str, Any]) -> dict[str, Any]:
    """Blame and eligibility as the page's address has them, where the evolution has any. own: the rule's."""
    if not evolution.blamed:
        return {}
    whole = {kind: {**getattr(evolution, kind), **own.get(kind, {})} for kind in KINDS}
    return {
        "weights": {kind: ",".join(f"{name}:{plain(weight)}" for name, weight in whole[kind].items()) for kind in KINDS}
    }
