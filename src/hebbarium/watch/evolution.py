"""An evolution, finished or still running, as a page shows it. The run is only read."""

from __future__ import annotations

import itertools
import math
import os
import time
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any, ClassVar

from hebbarium.rules.graded import KINDS, TRACE, trace_of, ungraded, weights_of
from hebbarium.store.evaluation_rows import Record
from hebbarium.store.writing import Run
from hebbarium.studies.evolve.best_rules import rule_of_row
from hebbarium.studies.evolve.one_search import SEARCH
from hebbarium.studies.evolve.study import Evolution, asked_for
from hebbarium.tools.errors import BadInput, plain
from hebbarium.watch.requests import Wish, as_typed
from hebbarium.worlds.base import World

MOST_CURVES, MOST_POINTS, MOST_ROWS = 12, 240, 60


class Evolving:
    EVERY: ClassVar[float] = 1.0
    """Seconds between two looks."""

    def __init__(self, path: str | os.PathLike[str], world: str | World | None = None) -> None:
        """world: of a run in a world of one's own, which a run alone never loads."""
        self.run = Run.open(path)
        if self.run.kind != "evolve":
            raise BadInput(f"{path} is a run of {self.run.kind}; only runs of evolve can be watched.")
        self.name = self.run.folder.resolve().name
        self.evolution = asked_for(self.run, world)
        self._seen: dict[str, Any] = {}
        self._updated: object = None
        self._next = 0.0

    @property
    def world(self) -> World:
        return self.evolution.world

    @property
    def wish(self) -> Wish:
        """How its individuals live, the rule and the seed apart. A watched life has no last season."""
        evolution = self.evolution
        changed = evolution.brain.changed_settings(self.world) | self.world.changed_settings()
        left_out = {"seasons", "arithmetic"} if evolution.blamed else {"seasons"}  # weights need the plain arithmetic
        settings = {name: value for name, value in changed.items() if name not in left_out}
        return Wish(
            task=self.world.name,
            hidden=evolution.hidden,
            blame=evolution.blame,
            eligibility=evolution.eligibility,
            settings=as_typed(settings),
        )

    def best(self) -> dict[str, str]:
        """The life of the best rule so far, as the page's address has it: of those scored anew, or else of the latest
        generations."""
        seen = self.look()
        rows = seen["found"] or seen["population"]
        own = {"rule": rows[0]["rule"], **rows[0].get("weights", {})} if rows else {}
        return self.wish.address() | {name: text for name, text in own.items() if text}

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
        # As the searches themselves saw it, once all are finished.
        curves = [
            thinned([[moment["generation"], round(moment["best"], 2), round(moment["mean"], 2)] for moment in history])
            for history in self.run.result("curves") or []
        ]
        latest = [record for some in runs for record in some if record.generation == some[-1].generation]
        return {
            "type": "run",
            "name": self.name,
            "task": self.world.name,
            "search": self.evolution.search,
            "runs": self.evolution.runs,
            "wish": {name: text for name, text in self.wish.address().items() if name != "seed"},
            "finished": finished,
            "evaluations": evaluations,
            "lifetimes": lifetimes,
            "curves": (curves or [curve(some) for some in runs])[:MOST_CURVES],
            "population": population(latest, self.evolution),
            "found": [found(row, self.evolution) for row in (self.run.result("rules") or [])[:MOST_ROWS]],
        }


def curve(records: list[Record]) -> list[list[float]]:
    """Generation, the best evaluation so far, and the mean of the generation's own, while a search is on its way."""
    whole, best = [], -math.inf
    for generation, some in itertools.groupby(records, key=lambda record: record.generation):
        means = [record.mean for record in some]
        best = max(best, *means)
        whole.append([generation, round(best, 2), round(fmean(means), 2)])
    return thinned(whole)


def thinned(points: list[list[float]]) -> list[list[float]]:
    """Of many points some evenly chosen ones, the last among them."""
    stride = -(-len(points) // MOST_POINTS) or 1
    return points[::-1][::stride][::-1]


def population(records: Iterable[Record], evolution: Evolution) -> list[dict[str, Any]]:
    """Best first. run: counted from 1."""
    best = sorted(records, key=lambda record: -record.mean)[:MOST_ROWS]
    return [
        {
            "rule": ungraded(record.rule).text,
            "shown": ungraded(record.rule).short_text,
            **_lived_with(
                evolution, {kind: weights_of(record.rule, kind) for kind in KINDS} | {TRACE: trace_of(record.rule)}
            ),
            "fitness": round(record.mean, 2),
            "lifetimes": record.lifetimes,
            "run": record.run + 1,
            "generation": record.generation,
        }
        for record in best
        if record.rule is not None
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
    """Blame, eligibility and trace as the page's address has them, where the evolution has any. own: the rule's."""
    if not evolution.blamed:
        return {}
    whole = {kind: {**getattr(evolution, kind), **own.get(kind, {})} for kind in KINDS}
    texts = {kind: ",".join(f"{name}:{plain(weight)}" for name, weight in whole[kind].items()) for kind in KINDS}
    return {"weights": texts | ({TRACE: plain(own[TRACE])} if own.get(TRACE) else {})}
