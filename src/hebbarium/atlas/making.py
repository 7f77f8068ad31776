"""Make an atlas: live what each stage asks for, keep every life in the run's store, sum up at the end."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.atlas.confidence import brackets, paired, rank_intervals
from hebbarium.atlas.map import save_map
from hebbarium.atlas.plan import Plan, make_plan
from hebbarium.atlas.scores import FRESH, Scores, means
from hebbarium.atlas.sections import sections
from hebbarium.atlas.stages import MOST_ROUNDS, Requests, requests
from hebbarium.atlas.table import Atlas
from hebbarium.atlas.why import study
from hebbarium.brains.base import Brain
from hebbarium.brains.networks import kinds_of
from hebbarium.errors import RunError
from hebbarium.executors.base import Executor, Outcome, run
from hebbarium.executors.threads import check_hidden, executor_of
from hebbarium.layered import LayeredRule
from hebbarium.life.batch import prepare
from hebbarium.life.jobs import Jobs
from hebbarium.life.observers import AtTheEnd, Observer
from hebbarium.rule import RULES, Rule
from hebbarium.runs.ledger import Ledger
from hebbarium.runs.pieces import Arrays, Piece
from hebbarium.runs.schema import DATABASE
from hebbarium.runs.store import Run, Writer
from hebbarium.runs.text import dump
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import make_world

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
    threads: Executor | int | None = None
    tell: Tell = lambda lived, stage, left: None

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.store)
        self.lives = Scores.none()
        self.chunks = 0
        self.digest = hashlib.sha256()
        self.entries = np.array([Rule(index).entries for index in self.plan.rules], np.int8)

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
        if self.plan.layers == "output":  # they stay as they were born
            return np.full(len(self.plan), float(self.plan.hidden))
        size = max(1, CHUNK_STEPS // self.plan.task.steps // KIND_LIVES)
        parts = []
        for first in range(0, len(self.plan), size):
            rules = np.arange(first, min(first + size, len(self.plan)))
            parts.append(self._kinds_of(rules, eta[rules]))
            self.tell(0, "kinds of neurons", 0)
        kinds: np.ndarray = np.concatenate(parts).reshape(-1, KIND_LIVES).mean(axis=1)
        return kinds

    def _kinds_of(self, rules: np.ndarray, eta: np.ndarray) -> np.ndarray:
        """int16 [rule * life]: stored, or counted now."""
        trials = np.tile(FRESH + np.arange(KIND_LIVES), len(rules))
        part = Requests(np.repeat(rules, KIND_LIVES), np.repeat(eta, KIND_LIVES), trials)
        piece = _piece(f"kinds/{int(rules[0]):06}", "kinds of neurons", part)
        kinds = self.ledger.done(piece, lambda: {"kinds": self._count_kinds(part)})["kinds"]
        if kinds.shape != (len(part),) or kinds.dtype.kind != "i":
            raise self._of_another()
        return kinds

    def _count_kinds(self, part: Requests) -> np.ndarray:
        """int16 [life]"""
        return kinds_of(self._run(self._jobs(part), [AtTheEnd(networks=True)]).seen[0]["hidden"]).astype(np.int16)

    def _live(self, wanted: Requests, stage: str) -> None:
        size = max(1, CHUNK_STEPS // self.plan.task.steps)
        together = self._chunks_together() * size
        parts = [self.lives]
        for start in range(0, len(wanted), size):
            part = wanted[slice(start, start + size)]
            if start % together == 0:
                self._live_together(wanted[slice(start, start + together)], size, stage)
            counts, distinct = self._lives_of(part, stage)
            self.digest.update(counts.astype("<i8").tobytes())
            score = self.plan.task.life_fitness(counts.astype(np.int64))
            parts.append(Scores(part.rule, part.eta, part.trial, score, distinct.astype(np.int64)))
            self.chunks += 1
            self.tell(len(part), stage, len(wanted) - start - len(part))
        self.lives = Scores.joined(parts)

    def _chunks_together(self) -> int:
        """A chunk is a third of a second's work for two hands; many hands need many at once."""
        executor = executor_of(self.threads)
        return max(1, round(executor.hands * executor.seconds / 2))

    def _live_together(self, wanted: Requests, size: int, stage: str) -> None:
        """Live and store the chunks that are not stored yet, where there are several."""
        stored = set(self.store.pieces())
        parts = [wanted[slice(start, start + size)] for start in range(0, len(wanted), size)]
        pieces = {_lives_piece(number, stage, part): part for number, part in enumerate(parts, self.chunks)}
        missing = {piece: part for piece, part in pieces.items() if piece.name not in stored}
        if len(missing) < 2 or not isinstance(self.store, Writer):
            return
        lived = self._lived(Requests.joined(list(missing.values())))
        ends = np.cumsum([len(part) for part in missing.values()])[:-1]
        columns = {name: np.split(array, ends) for name, array in lived.items()}
        self.store.save(
            pieces={
                piece: {name: column[number] for name, column in columns.items()}
                for number, piece in enumerate(missing)
            }
        )

    def _lives_of(self, part: Requests, stage: str) -> tuple[np.ndarray, np.ndarray]:
        """This chunk's counts and distinct hidden neurons: stored, or lived now."""
        arrays = self.ledger.done(_lives_piece(self.chunks, stage, part), lambda: self._lived(part))
        shapes = {"counts": (len(part), self.plan.task.seasons, len(self.plan.task.counts)), "distinct": (len(part),)}
        if {name: array.shape for name, array in arrays.items() if array.dtype.kind == "i"} != shapes:
            raise self._of_another()
        return arrays["counts"], arrays["distinct"]

    def _lived(self, part: Requests) -> Arrays:
        frozen = self.plan.layers == "output"
        outcome = self._run(self._jobs(part), [] if frozen else [AtTheEnd()])
        counts = outcome.counts.astype(np.int16 if self.plan.task.season_steps < 2**15 else np.int64)
        distinct = np.full(len(part), self.plan.hidden) if frozen else outcome.seen[0]["distinct"]
        return {"counts": counts, "distinct": distinct.astype(np.int16)}

    def _of_another(self) -> RunError:
        return RunError(f"the lives stored in {self.store.folder} are of another atlas; choose another folder.")

    def _jobs(self, part: Requests) -> Jobs:
        seeds = np.full(len(part), self.plan.seed, np.uint64)
        entries, eta = np.repeat(self.entries[part.rule][:, None], 2, axis=1), np.repeat(part.eta[:, None], 2, axis=1)
        if self.plan.layers == "output":
            entries[:, 0], eta[:, 0] = 0, 0.0
        return Jobs(entries, eta, seeds, part.trial.astype(np.uint64))

    def _run(self, jobs: Jobs, observers: Sequence[Observer]) -> Outcome:
        world = self.plan.task
        return run(self.threads, world, Brain.of(world, self.plan.hidden), jobs, observers)


def _lives_piece(chunk: int, stage: str, part: Requests) -> Piece:
    return _piece(f"lives/{chunk:06}", stage, part)


def _piece(name: str, stage: str, part: Requests) -> Piece:
    """What is asked for in a chunk: the very lives, in their order. The rest is the run's configuration."""
    lives = hashlib.sha256()
    for column in (part.rule.astype("<i8"), part.eta.astype("<f8"), part.trial.astype("<i8")):
        lives.update(column.tobytes())
    return Piece(name, dump({"stage": stage, "lives": len(part), "sha256": lives.hexdigest()}))


def summed_up(plan: Plan, lives: Scores, kinds: np.ndarray, digest: str) -> Atlas:
    """The atlas that these lives give."""
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


def read_lives(run: Run, plan: Plan) -> Scores:
    """The lives a finished run holds, for whoever wants to look closer; `rule` is the rule's index."""
    making = Making(plan, run)
    making.make()
    return replace(making.lives, rule=np.array(plan.rules)[making.lives.rule])


def make_atlas(
    task: str | World,
    folder: str | os.PathLike[str],
    *,
    hidden: int | None = None,
    seed: int = 1,
    etas: Sequence[float] | None = None,
    limit: int | None = None,
    rules: Iterable[int | str | Rule] | None = None,
    effort: float = 1.0,
    layers: str = "same",
    threads: Executor | int | None = None,
    tell: Callable[[int, str, int], None] | None = None,
    remark: Callable[[str], None] | None = None,
) -> Atlas:
    """Make the atlas of a task in a run folder, or go on with it.

    layers: `output` for rules of the output layer alone, while the hidden one is frozen as it was born.
    The folder then holds the run's store, `atlas.npz` (the table) and, with all rules in it, `atlas.html` (the map).
    limit: a random sample of so many rules, drawn by the seed. rules: only these.
    tell: called after each chunk with the lives it held, the stage, and a guess at the lives in all.
    """
    plan = make_plan(
        make_world(task), hidden=hidden, seed=seed, etas=etas, limit=limit, rules=rules, effort=effort, layers=layers
    )
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
    threads: Executor | int | None = None,
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
    why = None
    if atlas.complete and plan.layers == "same":
        if remark is not None:
            remark("Every rule is scored. Now the interventions that show why rules fail.")
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


def expected_seconds(plan: Plan, threads: Executor | int | None = None) -> float:
    """Roughly how long the whole atlas takes here, from a few lives of rules drawn at random."""
    prepare(plan.task)
    random = np.random.default_rng(plan.seed)
    drawn = [Rule(int(index), float(random.choice(plan.etas))) for index in random.integers(0, RULES, TRIAL_LIVES)]
    rules = drawn if plan.layers == "same" else [LayeredRule(None, rule) for rule in drawn]
    jobs = Jobs.of(rules, [plan.seed] * TRIAL_LIVES, range(TRIAL_LIVES))
    began = time.perf_counter()
    run(threads, plan.task, Brain.of(plan.task, plan.hidden), jobs)
    return (time.perf_counter() - began) * plan.expected_lifetimes() / TRIAL_LIVES


def _guessing(plan: Plan, tell: Callable[[int, str, int], None]) -> Tell:
    """Turn what a stage still needs into a guess at the whole."""
    expected, done = plan.expected_lifetimes(), 0

    def told(lived: int, stage: str, left: int) -> None:
        nonlocal done
        done += lived
        tell(lived, stage, max(expected, done + left))

    return told
