"""Make an atlas: live what each stage asks for, keep every life in the run's store, sum up at the end."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.atlas.confidence import brackets, paired, rank_intervals
from hebbarium.atlas.kinds import kinds_of
from hebbarium.atlas.lives import FRESH, Lives, means
from hebbarium.atlas.map import save_map
from hebbarium.atlas.plan import Plan, make_plan
from hebbarium.atlas.sections import sections
from hebbarium.atlas.stages import MOST_ROUNDS, Requests, requests
from hebbarium.atlas.table import Atlas
from hebbarium.atlas.why import study
from hebbarium.errors import RunError
from hebbarium.lifetime import Jobs, check_hidden, live_jobs, prepare
from hebbarium.rule import RULES, Rule
from hebbarium.runs.schema import DATABASE
from hebbarium.runs.store import Run, Writer
from hebbarium.tasks.base import Task
from hebbarium.tasks.registry import make_task

KIND = "atlas"
TABLE = "atlas.npz"
MAP = "atlas.html"
CHUNK_STEPS = 40_000_000
"""Steps lived between two commits: what a kill can cost."""

KIND_LIVES = 4
"""Fresh lives of each rule whose grown networks are looked at."""
TRIAL_LIVES = 64
"""Lives lived to tell how long an atlas will take."""

Tell = Callable[[int, str, int], None]
"""Told after each chunk: lives it held, the stage, and lives the stage's round still needs."""


@dataclass
class Making:
    """An atlas in the making: its plan, its store, and the lives so far."""

    plan: Plan
    store: Run
    """A Writer, unless all lives are there already."""
    threads: int | None = None
    tell: Tell = lambda lived, stage, left: None

    def __post_init__(self) -> None:
        self.lives = Lives.none()
        self.chunks = 0
        self.digest = hashlib.sha256()
        self.entries = np.array([Rule(index).entries for index in range(self.plan.limit)], np.int8)

    def make(self) -> Atlas:
        """From where it was to the end."""
        for stage in self.plan.stages:
            for _ in range(MOST_ROUNDS):
                wanted = requests(self.plan, stage, self.lives)
                if not len(wanted):
                    break
                self._live(wanted, stage.name)
        scored = means(self.lives.fresh())
        return summed_up(self.plan, self.lives, self._kinds(scored.eta), self.digest.hexdigest())

    def _kinds(self, eta: np.ndarray) -> np.ndarray:
        """float64 [rule]: kinds of hidden neurons at the end of the first fresh lives of each rule."""
        size = max(1, CHUNK_STEPS // self.plan.task.steps // KIND_LIVES)
        parts = []
        for first in range(0, self.plan.limit, size):
            rules = np.arange(first, min(first + size, self.plan.limit))
            stored = self.store.array(f"kinds/{first:06}")
            parts.append(self._count_kinds(rules, eta[rules]) if stored is None else stored)
            self.tell(0, "kinds of neurons", 0)
        kinds: np.ndarray = np.concatenate(parts).reshape(-1, KIND_LIVES).mean(axis=1)
        return kinds

    def _count_kinds(self, rules: np.ndarray, eta: np.ndarray) -> np.ndarray:
        """int64 [rule * life]"""
        trials = np.tile(FRESH + np.arange(KIND_LIVES), len(rules))
        jobs = self._jobs(Requests(np.repeat(rules, KIND_LIVES), np.repeat(eta, KIND_LIVES), trials))
        outcome = live_jobs(self.plan.task, self.plan.hidden, jobs, threads=self.threads, keep_networks=True)
        assert outcome.networks is not None
        kinds = kinds_of(outcome.networks.hidden)
        self._writer().save(arrays={f"kinds/{int(rules[0]):06}": kinds.astype(np.int16)})
        return kinds

    def _live(self, wanted: Requests, stage: str) -> None:
        size = max(1, CHUNK_STEPS // self.plan.task.steps)
        parts = [self.lives]
        for start in range(0, len(wanted), size):
            part = wanted[slice(start, start + size)]
            counts, distinct = self._stored(len(part)) or self._lived(part)
            self.digest.update(counts.astype("<i8").tobytes())
            score = self.plan.task.life_fitness(counts.astype(np.int64))
            parts.append(Lives(part.rule, part.eta, part.trial, score, distinct.astype(np.int64)))
            self.chunks += 1
            self.tell(len(part), stage, len(wanted) - start - len(part))
        self.lives = Lives.joined(parts)

    def _stored(self, lives: int) -> tuple[np.ndarray, np.ndarray] | None:
        """This chunk's counts and distinct hidden neurons, where they are in the store."""
        counts = self.store.array(f"counts/{self.chunks:06}")
        distinct = self.store.array(f"distinct/{self.chunks:06}")
        if counts is None or distinct is None:
            return None
        if len(counts) != lives or len(distinct) != lives:
            raise RunError(f"the lives stored in {self.store.folder} are of another atlas; choose another folder.")
        return counts, distinct

    def _lived(self, part: Requests) -> tuple[np.ndarray, np.ndarray]:
        plan, writer = self.plan, self._writer()
        outcome = live_jobs(plan.task, plan.hidden, self._jobs(part), threads=self.threads, distinct=True)
        assert outcome.distinct_hidden is not None
        counts = outcome.counts.astype(np.int16 if plan.task.season_steps < 2**15 else np.int64)
        distinct = outcome.distinct_hidden.astype(np.int16)
        writer.save(arrays={f"counts/{self.chunks:06}": counts, f"distinct/{self.chunks:06}": distinct})
        return counts, distinct

    def _jobs(self, part: Requests) -> Jobs:
        seeds = np.full(len(part), self.plan.seed, np.uint64)
        return Jobs(self.entries[part.rule], part.eta, seeds, part.trial.astype(np.uint64))

    def _writer(self) -> Writer:
        if isinstance(self.store, Writer):
            return self.store
        raise RunError(f"the atlas in {self.store.folder} is not finished; the command that began it goes on with it.")


def summed_up(plan: Plan, lives: Lives, kinds: np.ndarray, digest: str) -> Atlas:
    """The atlas that these lives give."""
    tried, scored = means(lives.chosen_on()), means(lives.fresh())
    on_grid = np.isin(tried.eta, plan.etas)
    low, high = brackets(tried, scored.eta)
    sem = scored.std / np.sqrt(scored.lifetimes)
    first, last = rank_intervals(scored.mean, sem, paired(lives.fresh(), plan.stages[-1].lifetimes))
    shape = (plan.limit, len(plan.etas))
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


def read_lives(run: Run, plan: Plan) -> Lives:
    """The lives a finished run holds, for whoever wants to look closer."""
    making = Making(plan, run)
    making.make()
    return making.lives


def make_atlas(
    task: str | Task,
    folder: str | os.PathLike[str],
    *,
    hidden: int | None = None,
    seed: int = 1,
    etas: Sequence[float] | None = None,
    limit: int = RULES,
    effort: float = 1.0,
    threads: int | None = None,
    tell: Callable[[int, str, int], None] | None = None,
    remark: Callable[[str], None] | None = None,
) -> Atlas:
    """Make the atlas of a task in a run folder, or go on with it.

    The folder then holds the run's store, `atlas.npz` (the table) and, with all rules in it, `atlas.html` (the map).
    tell: called after each chunk with the lives it held, the stage, and a guess at the lives in all.
    """
    plan = make_plan(make_task(task), hidden=hidden, seed=seed, etas=etas, limit=limit, effort=effort)
    path = Path(folder)
    made = finished_atlas(plan, path)
    if made is not None:
        if remark is not None:
            remark(f"The atlas in {path} is finished.")
        return made
    with begin(plan, path) as store:
        return carry_out(plan, store, threads=threads, tell=tell, remark=remark)


def finished_atlas(plan: Plan, folder: Path) -> Atlas | None:
    """The atlas, where nothing is left to do: reading is enough then, whoever wrote it. A lost map is drawn again."""
    if not (folder / DATABASE).is_file() or not (folder / TABLE).is_file():
        return None
    run = Run.open(folder)
    if run.kind != KIND or run.configuration != plan.settings() or not run.finished:
        return None
    atlas = Atlas.load(folder / TABLE)
    if not (folder / MAP).is_file():
        _draw(atlas, folder, run.result("why"))
    return atlas


def begin(plan: Plan, folder: Path) -> Writer:
    """Open the folder's run, or begin one; raises at once where that cannot be."""
    check_hidden(plan.task, plan.hidden)
    return Writer.begin(folder, KIND, plan.settings())


def carry_out(
    plan: Plan,
    store: Writer,
    *,
    threads: int | None = None,
    tell: Callable[[int, str, int], None] | None = None,
    remark: Callable[[str], None] | None = None,
) -> Atlas:
    """From where it is to the end (see `make_atlas`)."""
    path = store.folder
    prepare(plan.task)
    making = Making(plan, store, threads)
    if tell is not None:
        making.tell = _guessing(plan, tell)
    atlas = making.make()
    atlas.save(path / TABLE)
    if atlas.complete:
        if remark is not None:
            remark("Every rule is scored. Now the interventions that tell why rules fail.")
        why = study(atlas, plan.task, seed=plan.seed, threads=threads)
        store.save(results={"why": why})
        _draw(atlas, path, why)
    store.save(results={"top": atlas.top(100), "digest": atlas.about["digest"], "lifetimes": len(making.lives)})
    store.finish()
    return atlas


def _draw(atlas: Atlas, folder: Path, why: dict[str, Any] | None) -> None:
    """The page; a part of an atlas has none."""
    if atlas.complete:
        save_map(atlas, folder / MAP, sections(atlas, why))


def expected_seconds(plan: Plan, threads: int | None = None) -> float:
    """Roughly how long the whole atlas takes here, from a few lives of rules drawn at random."""
    prepare(plan.task)
    random = np.random.default_rng(plan.seed)
    rules = [Rule(int(index), float(random.choice(plan.etas))) for index in random.integers(0, RULES, TRIAL_LIVES)]
    jobs = Jobs.of(rules, [plan.seed] * TRIAL_LIVES, range(TRIAL_LIVES))
    began = time.perf_counter()
    live_jobs(plan.task, plan.hidden, jobs, threads=threads)
    return (time.perf_counter() - began) * plan.expected_lifetimes() / TRIAL_LIVES


def _guessing(plan: Plan, tell: Callable[[int, str, int], None]) -> Tell:
    """Turn what a stage still needs into a guess at the whole."""
    expected, done = plan.expected_lifetimes(), 0

    def told(lived: int, stage: str, left: int) -> None:
        nonlocal done
        done += lived
        tell(lived, stage, max(expected, done + left))

    return told
