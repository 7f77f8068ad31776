"""Make an atlas: live what each stage asks for, keep every life in the run's store, sum up at the end."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.brains.networks import kinds_of
from hebbarium.executors.base import Executor, Outcome, run
from hebbarium.executors.threads import check_hidden, executor_of
from hebbarium.experiment import WAYS, with_weights
from hebbarium.life.batch import prepare
from hebbarium.life.jobs import Jobs
from hebbarium.life.observers import AtTheEnd, Observer
from hebbarium.rules.layered import LayeredRule
from hebbarium.rules.rule import RULES, Rule
from hebbarium.search.space import space_of
from hebbarium.store.ledger import Ledger
from hebbarium.store.pieces import Arrays, Held, Piece
from hebbarium.store.schema import DATABASE
from hebbarium.store.store import Run, Writer
from hebbarium.store.text import dump, load
from hebbarium.studies.atlas import why as interventions
from hebbarium.studies.atlas.age import ages_in
from hebbarium.studies.atlas.confidence import brackets, paired, rank_intervals
from hebbarium.studies.atlas.map import save_map
from hebbarium.studies.atlas.plan import Plan, make_plan
from hebbarium.studies.atlas.scores import FRESH, Scores, means
from hebbarium.studies.atlas.searched import RUNS, SEARCHED, Searched, found_by, is_fair, judge
from hebbarium.studies.atlas.sections import sections
from hebbarium.studies.atlas.stages import Requests, requests, rounds
from hebbarium.studies.atlas.table import Atlas
from hebbarium.tools.errors import BadInput, RunError
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import make_world

KIND = "atlas"
TABLE = "atlas.npz"
MAP = "atlas.html"
CHUNK_STEPS = 40_000_000
"""Steps lived between two commits: what a kill can cost."""

TOP = 100
"""Rules of the table that the store holds, too."""
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
            for _ in range(rounds(stage)):
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
        """Whole numbers [rule * life]: stored, or counted now."""
        trials = np.tile(FRESH + np.arange(KIND_LIVES), len(rules))
        part = Requests(np.repeat(rules, KIND_LIVES), np.repeat(eta, KIND_LIVES), trials)
        piece = _piece(f"kinds/{int(rules[0]):06}", "kinds of neurons", part, kinds=("i", (len(part),)))
        return self.ledger.done(piece, lambda: {"kinds": narrow(self._count_kinds(part))})["kinds"]

    def _count_kinds(self, part: Requests) -> np.ndarray:
        """int64 [life]"""
        return kinds_of(self._run(self._jobs(part), [AtTheEnd(networks=True)]).seen[0]["hidden"])

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
        pieces = {self._lives_piece(number, stage, part): part for number, part in enumerate(parts, self.chunks)}
        missing = {piece: part for piece, part in pieces.items() if piece.name not in stored}
        if len(missing) < 2 or not isinstance(self.store, Writer):
            return
        lived = self._lived(Requests.joined(list(missing.values())))
        ends = np.cumsum([len(part) for part in missing.values()])[:-1]
        columns = {name: np.split(array, ends) for name, array in lived.items()}
        self.store.save(
            pieces={
                piece: self._kept({name: column[number] for name, column in columns.items()})
                for number, piece in enumerate(missing)
            }
        )

    def _lives_of(self, part: Requests, stage: str) -> tuple[np.ndarray, np.ndarray]:
        """This chunk's counts and distinct hidden neurons: stored, or lived now."""
        piece = self._lives_piece(self.chunks, stage, part)
        arrays = self.ledger.done(piece, lambda: self._kept(self._lived(part)))
        return arrays["counts"], arrays["distinct"]

    def _lives_piece(self, chunk: int, stage: str, part: Requests) -> Piece:
        counts = (len(part), self.plan.task.seasons, len(self.plan.task.counts))
        return _piece(f"lives/{chunk:06}", stage, part, counts=("i", counts), distinct=("i", (len(part),)))

    def _kept(self, lived: Arrays) -> Arrays:
        """As they are stored: in short seasons, as in version 0.1, two bytes a number, unless somebody's world counts
        so often that they do not suffice."""
        counts = narrow(lived["counts"]) if self.plan.task.season_steps < 2**15 else lived["counts"]
        return {"counts": counts, "distinct": narrow(lived["distinct"])}

    def _lived(self, part: Requests) -> Arrays:
        frozen = self.plan.layers == "output"
        outcome = self._run(self._jobs(part), [] if frozen else [AtTheEnd()])
        distinct = np.full(len(part), self.plan.hidden) if frozen else outcome.seen[0]["distinct"]
        return {"counts": outcome.counts, "distinct": distinct}

    def _jobs(self, part: Requests) -> Jobs:
        seeds = np.full(len(part), self.plan.seed, np.uint64)
        entries, eta = np.repeat(self.entries[part.rule][:, None], 2, axis=1), np.repeat(part.eta[:, None], 2, axis=1)
        if self.plan.layers == "output":
            entries[:, 0], eta[:, 0] = 0, 0.0
        jobs = Jobs(entries, eta, seeds, part.trial.astype(np.uint64))
        return with_weights(jobs, self.plan.task, self.plan.blame, self.plan.eligibility)

    def _run(self, jobs: Jobs, observers: Sequence[Observer]) -> Outcome:
        return run(self.threads, self.plan.task, self.plan.brain, jobs, observers)


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


def make_atlas(
    task: str | World,
    folder: str | os.PathLike[str],
    *,
    seed: int = 1,
    etas: Sequence[float] | None = None,
    limit: int | None = None,
    rules: Iterable[int | str | Rule] | None = None,
    effort: float = 1.0,
    layers: str = "same",
    threads: Executor | int | None = None,
    tell: Callable[[int, str, int], None] | None = None,
    remark: Callable[[str], None] | None = None,
    **settings: Any,
) -> Atlas:
    """Make the atlas of a task in a run folder, or go on with it.

    settings: of the world and of the brain, `hidden` among them; blame and eligibility, as in `live`.
    layers: `output` for rules of the output layer alone, while the hidden one is frozen as it was born.
    The folder then holds the run's store, `atlas.npz` (the table) and, with all rules in it, `atlas.html` (the map).
    limit: a random sample of so many rules, drawn by the seed. rules: only these.
    tell: called after each chunk with the lives it held, the stage, and a guess at the lives in all.
    """
    ways = {name: settings.pop(name) for name in WAYS if name in settings}
    world = make_world(task, **settings)
    plan = make_plan(world, seed=seed, etas=etas, limit=limit, rules=rules, effort=effort, layers=layers, **ways)
    path = Path(folder)
    made = finished_atlas(plan, path, remark)
    if made is not None:
        if remark is not None:
            remark(f"The atlas in {path} is finished.")
        return made
    with begin(plan, path) as store:
        return carry_out(plan, store, threads=threads, tell=tell, remark=remark)


def finished_atlas(plan: Plan, folder: Path, say: Callable[[str], None] | None = None) -> Atlas | None:
    """The atlas, where nothing is left to do: reading is enough then, whoever wrote it.

    The store has every life, so a table that is not the store's is made again from it, and a lost map is drawn again.
    say: told when that is done. None where the store lacks some lives."""
    run = Run.finished_in(folder, KIND, plan.settings())
    if run is None:
        return None
    say = say or (lambda text: None)
    atlas, problem = _stored_table(run)
    if atlas is None:
        try:
            atlas = Making(plan, run).make()
        except RunError:
            return None
        say(f"{folder / TABLE} {problem}; it was made again from the lives in {DATABASE}.")
        atlas.save(folder / TABLE)
    if problem or not (folder / MAP).is_file():
        draw(atlas, run, say)
    return atlas


def _stored_table(run: Run) -> tuple[Atlas | None, str]:
    """The table beside a finished store, or what is wrong with it."""
    try:
        atlas = Atlas.load(run.folder / TABLE)
    except BadInput:
        return None, "is not there or cannot be read"
    about = {name: atlas.about.get(name) for name in (*run.configuration, "lifetimes", "digest")}
    stored = {**run.configuration, "lifetimes": run.result("lifetimes"), "digest": run.result("digest")}
    if about != stored or _best(atlas.top(TOP)) != _best(run.result("top") or []):
        return None, "is not the table of this run"
    return atlas, ""


def _best(rows: Sequence[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(row["rule"], row["eta"], row["mean"]) for row in rows]


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
    prepare(plan.task, plan.brain, blamed=plan.blamed, rules=space_of(plan.layers).samples())
    making = Making(plan, store, threads)
    if tell is not None:
        making.tell = _guessing(plan, tell)
    atlas = making.make()
    atlas.save(store.folder / TABLE)
    if _is_studied(plan) and store.result("why") is None:
        if remark is not None:
            remark("Every rule is scored. Now the interventions that show why rules fail.")
        store.save(results={"why": _studied(atlas, making)})
    making.tell(0, "map", 0)
    draw(atlas, store)
    store.save(results={"top": atlas.top(TOP), "digest": atlas.about["digest"], "lifetimes": len(making.lives)})
    store.finish()
    return atlas


def _is_studied(plan: Plan) -> bool:
    """Whether interventions belong to it: of a sample nothing can be said, and a frozen layer cannot collapse."""
    return len(plan) == RULES and plan.layers == "same" and not plan.widened()


def _studied(atlas: Atlas, making: Making) -> dict[str, Any]:
    plan = making.plan
    return interventions.study(
        atlas,
        plan.task,
        seed=plan.seed,
        threads=making.threads,
        ledger=making.ledger,
        told=lambda lived, left: making.tell(lived, "interventions", left),
    )


def draw(atlas: Atlas, run: Run, say: Callable[[str], None] | None = None) -> None:
    """The page, with what the run knows; a part of an atlas has none. say: told where that takes a while."""
    if atlas.complete:
        why, ages = run.result("why"), ages_in(run.folder, atlas)
        save_map(atlas, run.folder / MAP, sections(atlas, why, _searched(atlas, Ledger(run), say)), ages)


def _searched(atlas: Atlas, ledger: Ledger, say: Callable[[str], None] | None) -> list[Searched]:
    """What searches find on the atlas's figures: stored, or found now."""
    if not is_fair(atlas):
        return []
    found = []
    for name in SEARCHED:
        piece = Piece.of("searched", {"search": name, "runs": RUNS})
        arrays = ledger.piece(piece)
        if arrays is None:
            if say is not None:
                say(f"Running {name} searches on the atlas for the map.")
            arrays = found_by(atlas, name)
            if isinstance(ledger.run, Writer):
                ledger.run.save(pieces={piece: arrays})
        if not _are_searches(arrays):
            raise RunError(f"the searches stored in {ledger.run.folder} are of another atlas; choose another folder.")
        found.append(judge(atlas, name, arrays))
    return found


def _are_searches(arrays: Arrays) -> bool:
    if {name: (array.shape, array.dtype.kind) for name, array in arrays.items()} != {
        "found": ((RUNS,), "i"),
        "lifetimes": ((RUNS,), "i"),
    }:
        return False
    return bool((arrays["found"] >= 0).all() and (arrays["found"] < RULES).all())


def expected_lifetimes(plan: Plan) -> int:
    """Roughly how many are lived in all, interventions included."""
    return plan.expected_lifetimes() + (interventions.MOST_LIFETIMES if _is_studied(plan) else 0)


def stored_lifetimes(run: Run) -> tuple[int, str]:
    """How many lifetimes of an atlas a run holds, and the stage of the last of them."""
    lifetimes, asked = 0, ""
    for name in sorted(run.pieces()):
        found = run.piece(name) if name.startswith("lives/") else None
        if found is not None:
            asked, lifetimes = found[0].asked, lifetimes + len(found[1].get("distinct", ()))
    return lifetimes, _stage(asked)


def _stage(asked: str) -> str:
    """Of a piece; version 0.1 did not write it down."""
    try:
        told = load(asked)
    except ValueError:
        return ""
    return str(told.get("stage", "")) if isinstance(told, dict) else ""


def expected_seconds(plan: Plan, threads: Executor | int | None = None, stored: int = 0) -> float:
    """Roughly how long the atlas takes here, from a few lives of rules drawn at random. stored: lifetimes there are."""
    prepare(plan.task, plan.brain, blamed=plan.blamed, rules=space_of(plan.layers).samples())
    random = np.random.default_rng(plan.seed)
    drawn = [Rule(int(index), float(random.choice(plan.etas))) for index in random.integers(0, RULES, TRIAL_LIVES)]
    rules = drawn if plan.layers == "same" else [LayeredRule(None, rule) for rule in drawn]
    jobs = Jobs.of(rules, [plan.seed] * TRIAL_LIVES, range(TRIAL_LIVES))
    began = time.perf_counter()
    run(threads, plan.task, plan.brain, with_weights(jobs, plan.task, plan.blame, plan.eligibility))
    left = max(expected_lifetimes(plan) - stored, 0)
    return (time.perf_counter() - began) * left / TRIAL_LIVES


def _guessing(plan: Plan, tell: Callable[[int, str, int], None]) -> Tell:
    """Turn what a stage still needs into a guess at the whole."""
    expected, done = expected_lifetimes(plan), 0

    def told(lived: int, stage: str, left: int) -> None:
        nonlocal done
        done += lived
        tell(lived, stage, max(expected, done + left))

    return told
