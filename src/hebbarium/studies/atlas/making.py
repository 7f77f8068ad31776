"""Make an atlas: live what each stage asks for, keep every life in the store, sum up at the end."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.brains.sizes import sizes_of
from hebbarium.executors.base import Done, Executor, run
from hebbarium.experiment import suggesting
from hebbarium.life.jobs import Jobs
from hebbarium.life.observers import AtTheEnd, Kinds
from hebbarium.rules.rule import RULES, Rule
from hebbarium.search.space import space_of
from hebbarium.store.kept_arrays import Arrays, Held, Piece
from hebbarium.store.schema import DATABASE
from hebbarium.store.stored_json import dump
from hebbarium.studies.atlas import interventions
from hebbarium.studies.atlas.ages import ages_in
from hebbarium.studies.atlas.analysis import RUNS, SEARCHED, found_by, is_fair, judge
from hebbarium.studies.atlas.finished_atlas import TABLE, Atlas, Z
from hebbarium.studies.atlas.page import save_map, sections
from hebbarium.studies.atlas.stages import (
    FRESH,
    LEAST,
    Means,
    Plan,
    Requests,
    Scores,
    make_plan,
    means,
    requests,
    rounds,
)
from hebbarium.studies.engine import Kernels, Lab, Place, Study, Work, carry_out
from hebbarium.tools.errors import BadInput, RunError
from hebbarium.tools.progress import Report
from hebbarium.worlds.base import World

MAP = "atlas.html"
CHUNK_STEPS = 40_000_000
"""Steps lived between two commits: what a kill can cost."""

TOP = 100
"""Rules of the table that the store also holds."""
KIND_LIVES = 4
"""Fresh lives of each rule whose grown networks are looked at."""


@dataclass(frozen=True)
class AtlasStudy(Study[Atlas]):
    """An atlas to be made."""

    plan: Plan

    kind = "atlas"
    doing = "atlas"

    def configuration(self) -> dict[str, Any]:
        return self.plan.settings()

    @property
    def folder(self) -> Path:
        """A sample must not stand in the way of the whole."""
        name = f"{self.plan.name}-{self.plan.seed}"
        return Path("runs") / (name if len(self.plan) == RULES else f"{name}-sample-{len(self.plan)}")

    @property
    def size(self) -> float:
        return self.plan.expected_lifetimes() + (interventions.MOST_LIFETIMES if self.has_interventions else 0)

    @property
    def cost(self) -> str:
        few = f"A random sample of {len(self.plan):,} of {RULES:,} rules: there will be a table, but no map."
        return few if self.plan.least < LEAST else ""

    @property
    def has_interventions(self) -> bool:
        """Of a sample nothing can be said, a frozen layer cannot collapse, and other brains are others' to study."""
        usual = self.plan.layers == "same" and not self.plan.widened() and len(sizes_of(self.plan.hidden)) == 1
        return len(self.plan) == RULES and usual

    def kernels(self) -> list[Kernels]:
        return [Kernels.of(self.plan, space_of(self.plan.layers).samples())]

    def reduce(self, lab: Lab) -> Atlas:
        making = Making(self.plan, lab)
        making.live()
        return summed_up(self.plan, making.lives, making.kinds(), making.digest.hexdigest())

    def recall(self, lab: Lab) -> Atlas | None:
        """The table in the folder, if it is the store's; a lost map is drawn again."""
        run = lab.run
        assert run is not None
        problem = ""
        try:
            atlas = Atlas.load(lab.folder / TABLE)
        except BadInput:
            problem = "is not there or cannot be read"
        else:
            stored = {**run.configuration, "lifetimes": run.result("lifetimes"), "digest": run.result("digest")}
            tables = (atlas.top(TOP), run.result("top") or [])
            mine, theirs = ([(row["rule"], row["eta"], row["fitness"]) for row in rows] for rows in tables)
            if mine != theirs or {name: atlas.about.get(name) for name in stored} != stored:
                problem = "is not the table of this run"
        if problem:
            lab.report.say(f"{lab.folder / TABLE} {problem}; it is made again from the lives in {DATABASE}.")
            return None
        if not (lab.folder / MAP).is_file():
            draw(atlas, lab)
        return atlas

    def publish(self, atlas: Atlas, lab: Lab) -> None:
        """Save the atlas's table, live its interventions, and draw its page."""
        atlas.save(lab.folder / TABLE)
        if self.has_interventions and lab.run is not None and lab.run.result("why") is None:
            lab.report.remark("Every rule is scored. Now the interventions that show why rules fail.")
            lab.save(
                results={"why": interventions.study_interventions(atlas, self.plan.world, lab, seed=self.plan.seed)}
            )
        draw(atlas, lab)
        about = {name: atlas.about[name] for name in ("digest", "lifetimes")}
        lab.save(results={"top": atlas.top(TOP), **about})


class Making:
    """An atlas in the making: its plan, and the lives so far."""

    def __init__(self, plan: Plan, lab: Lab) -> None:
        self.plan, self.lab = plan, lab
        self.lives = Scores.none()
        self.chunks = 0
        self.digest = hashlib.sha256()
        self.entries = np.array([Rule(index).entries for index in plan.rules], np.int8)
        self.chunk = max(1, CHUNK_STEPS // plan.world.steps)
        """Lives that are kept at once."""

    def live(self) -> None:
        """All stages, each until it asks for nothing more."""
        for stage in self.plan.stages:
            for _ in range(rounds(stage)):
                wanted = requests(self.plan, stage, self.lives)
                if not len(wanted):
                    break
                self._live_round(wanted, stage.name)

    def _live_round(self, wanted: Requests, stage: str) -> None:
        """Live what a stage asks for, in chunks that are kept one by one, and add it to the lives so far."""
        plan, task = self.plan, self.plan.world
        parts = [wanted[slice(start, start + self.chunk)] for start in range(0, len(wanted), self.chunk)]

        def together(places: Sequence[int], executor: Executor, done: Done) -> list[Arrays]:
            """A chunk is a third of a second's work for two hands; many hands need many at once."""
            some, frozen = [parts[place] for place in places], plan.layers == "output"
            observers = [] if frozen else [AtTheEnd()]
            outcome = run(executor, task, plan.brain, self._jobs(Requests.joined(some)), observers, done=done)
            neurons = np.full(len(outcome.counts), plan.brain.neurons) if frozen else outcome.seen[0]["distinct"]
            ends = np.cumsum([len(part) for part in some])[:-1]
            # In short seasons two bytes a number, unless a world counts so often that they do not suffice.
            short = narrow if task.season_steps < 2**15 else np.asarray
            chunks = zip(np.split(outcome.counts, ends), np.split(neurons, ends), strict=True)
            return [{"counts": short(counts), "distinct": narrow(distinct)} for counts, distinct in chunks]

        def alone(place: int, executor: Executor, done: Done) -> Arrays:
            return together([place], executor, done)[0]

        works = []
        for number, part in enumerate(parts, self.chunks):
            shape = (len(part), task.seasons, len(task.counts))
            piece = _piece(f"lives/{number:06}", stage, part, counts=("i", shape), distinct=("i", (len(part),)))
            works.append(Work(piece, functools.partial(alone, number - self.chunks), len(part)))

        lives = [self.lives]
        for part, arrays in zip(parts, self.lab.fetch_all(works, stage, together), strict=True):
            counts, distinct = arrays["counts"], arrays["distinct"]
            self.digest.update(counts.astype("<i8").tobytes())
            score = task.life_fitness(counts.astype(np.int64))
            lives.append(Scores(part.rule, part.eta, part.trial, score, distinct.astype(np.int64)))
        self.chunks += len(parts)
        self.lives = Scores.joined(lives)

    def kinds(self) -> np.ndarray:
        """float64 [rule]: kinds of hidden neurons at the end of the first fresh lives of each rule."""
        plan, at_the_end = self.plan, [Kinds((self.plan.world.steps,))]
        eta = means(self.lives.fresh()).eta
        if plan.layers == "output":  # they stay as they were born
            return np.full(len(plan), float(plan.brain.neurons))

        def count(part: Requests, executor: Executor, done: Done) -> Arrays:
            (seen,) = run(executor, plan.world, plan.brain, self._jobs(part), at_the_end, done=done).seen
            return {"kinds": narrow(seen["kinds"][:, 0])}

        size = max(1, self.chunk // KIND_LIVES)
        works = []
        for first in range(0, len(plan), size):
            rules = np.arange(first, min(first + size, len(plan)))
            trials = np.tile(FRESH + np.arange(KIND_LIVES), len(rules))
            part = Requests(np.repeat(rules, KIND_LIVES), np.repeat(eta[rules], KIND_LIVES), trials)
            piece = _piece(f"kinds/{first:06}", "kinds of neurons", part, kinds=("i", (len(part),)))
            works.append(Work(piece, functools.partial(count, part), 0, 0))
        kinds = [arrays["kinds"] for arrays in self.lab.fetch_all(works, "kinds of neurons")]
        by_rule: np.ndarray = np.concatenate(kinds).reshape(-1, KIND_LIVES).mean(axis=1)
        return by_rule

    def _jobs(self, part: Requests) -> Jobs:
        seeds = np.full(len(part), self.plan.seed, np.uint64)
        layers = self.plan.brain.layers
        entries = np.repeat(self.entries[part.rule][:, None], layers, axis=1)
        eta = np.repeat(part.eta[:, None], layers, axis=1)
        if self.plan.layers == "output":
            entries[:, :-1], eta[:, :-1] = 0, 0.0
        return self.plan.weighted(Jobs(entries, eta, seeds, part.trial.astype(np.uint64)))


def narrow(numbers: np.ndarray) -> np.ndarray:
    """Whole numbers as int16, where all of them fit; as int64 otherwise.

    >>> narrow(np.array([1, -32768])).dtype.name, narrow(np.array([32768])).tolist()
    ('int16', [32768])
    """
    least, most = (int(end(numbers, initial=0)) for end in (np.min, np.max))
    room = np.iinfo(np.int16)
    return numbers.astype(np.int16 if room.min <= least and most <= room.max else np.int64)


def _piece(name: str, stage: str, part: Requests, **holds: Held) -> Piece:
    """What is asked for in a chunk: the very lives, in their order. The rest is the run's configuration."""
    lives = hashlib.sha256()
    for column in (part.rule.astype("<i8"), part.eta.astype("<f8"), part.trial.astype("<i8")):
        lives.update(column.tobytes())
    return Piece(name, dump({"stage": stage, "lives": len(part), "sha256": lives.hexdigest()}), holds)


def summed_up(plan: Plan, lives: Scores, kinds: np.ndarray, digest: str) -> Atlas:
    """The finished atlas that these lives give."""
    tried, scored = means(lives.chosen_on()), means(lives.fresh())
    on_grid = np.isin(tried.eta, plan.etas)
    low, high = brackets(tried, scored.eta)
    sem = scored.std / np.sqrt(scored.lifetimes)
    first, last = rank_intervals(scored.mean, sem, paired(lives.fresh(), plan.stages[-1].lifetimes))
    shape = (len(plan), len(plan.etas))
    about: dict[str, Any] = {**plan.settings(), "lifetimes": len(lives), "digest": digest}
    return Atlas(
        about=about,
        eta=scored.eta,
        eta_low=low,
        eta_high=high,
        mean=scored.mean,
        sem=sem,
        lifetimes=scored.lifetimes.astype(np.int32),
        rank_first=first.astype(np.int16),
        rank_last=last.astype(np.int16),
        distinct=scored.distinct.astype(np.float32),
        kinds=kinds.astype(np.float32),
        survey_mean=tried.mean[on_grid].reshape(shape).astype(np.float32),
        survey_distinct=tried.distinct[on_grid].reshape(shape).astype(np.float32),
    )


# How sure an atlas is: the ranks a rule may have, and the etas between which its best one lies.


def paired(fresh: Scores, lifetimes: int) -> tuple[np.ndarray, np.ndarray]:
    """The rules that lived at least this many fresh lives, and their scores life by life.

    int64 [rule], float64 [rule, lifetime].
    """
    order = np.lexsort((fresh.trial, fresh.rule))
    rule, score = fresh.rule[order], fresh.score[order]
    rules, starts, sizes = np.unique(rule, return_index=True, return_counts=True)
    enough = sizes >= lifetimes
    rows = starts[enough, None] + np.arange(lifetimes)
    return rules[enough], score[rows]


def rank_intervals(
    mean: np.ndarray, sem: np.ndarray, pairs: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """First and last rank each rule may have. int64 [rule] each.

    Rules that lived the same trials are compared life by life, the others by their standard errors.
    """
    first, last = np.empty(len(mean), np.int64), np.empty(len(mean), np.int64)
    rules, scores = pairs
    place = {int(rule): row for row, rule in enumerate(rules)}
    for rule in range(len(mean)):
        error = np.hypot(sem, sem[rule])
        if rule in place:
            error[rules] = (scores - scores[place[rule]]).std(axis=1, ddof=1) / np.sqrt(scores.shape[1])
        ahead = mean - mean[rule]
        first[rule] = 1 + np.count_nonzero(ahead > Z * error)
        last[rule] = len(mean) - np.count_nonzero(-ahead > Z * error)
    return first, last


def brackets(tried: Means, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest etas tried below and above each rule's chosen one; nan where there is none. float64 [rule] each."""
    low, high = np.full(len(chosen), np.nan), np.full(len(chosen), np.nan)
    for rule, eta in enumerate(chosen):
        rows = tried.rows_of(rule)
        etas, lifetimes = tried.eta[rows], tried.lifetimes[rows]
        # Only etas tried as often as the chosen one have been compared with it.
        etas = etas[lifetimes >= lifetimes[etas == eta]]
        low[rule] = etas[etas < eta].max(initial=-np.inf)
        high[rule] = etas[etas > eta].min(initial=np.inf)
    low[np.isinf(low)], high[np.isinf(high)] = np.nan, np.nan
    return low, high


@suggesting
def make_atlas(
    task: str | World,
    folder: str | os.PathLike[str],
    *,
    threads: Place | Executor | int | None = None,
    report: Report | None = None,
    **settings: Any,
) -> Atlas:
    """Make the atlas of a task in a run folder, or resume it.

    The folder then holds the run's store, `atlas.npz` (the table) and, with all rules in it, `atlas.html` (the map).

    threads: how many, or an executor that lives elsewhere. report: what is said, and where progress is shown.
    settings: of the world and of the brain, `hidden` among them; blame and eligibility, as in `live`; seed (1); and
    etas: those of the survey, ascending; without them the task's usual ones.
    limit: a random sample of this many rules, drawn by the seed. rules: only these.
    effort: a factor on the lifetimes of every stage.
    layers: `output` for rules of the output layer alone, while the hidden one is frozen as it was born.
    Returns the table.
    """
    return carry_out(AtlasStudy(make_plan(task, **settings)), folder, threads=threads, report=report)


def draw(atlas: Atlas, lab: Lab) -> None:
    """The page, with what the run knows; a part of an atlas has none."""
    assert lab.run is not None
    if not atlas.complete:
        return
    found = []
    for name in SEARCHED if is_fair(atlas) else ():
        asked = Piece.of("searched", {"search": name, "runs": RUNS})
        piece = asked.holding(found=("i", (RUNS,)), lifetimes=("i", (RUNS,)))
        # Nothing is lived: an atlas knows every score.
        arrays = lab.fetch(Work(piece, lambda *_, name=name: found_by(atlas, name), 0), f"{name} searches")
        if not 0 <= arrays["found"].min() <= arrays["found"].max() < RULES:
            raise RunError(f"the searches stored in {lab.folder} are of another atlas; choose another folder.")
        found.append(judge(atlas, name, arrays))
    save_map(atlas, lab.folder / MAP, sections(atlas, lab.run.result("why"), found), ages_in(lab.folder, atlas))
