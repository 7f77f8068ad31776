"""Evolution: independent searches for rules in one run folder, all cores busy across them.

Whatever the searches wait for is lived together in batches of a second or a few; each batch is stored in one
transaction before the searches learn of it. Which lifetimes share a batch never matters to any result.
"""

from __future__ import annotations

import dataclasses
import inspect
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.brains.scalings import scaling_of_run
from hebbarium.executors import base as executors
from hebbarium.executors.base import Executor
from hebbarium.experiment import WAYS, Ways, check_traces, rows_by_judgement, suggesting, ways_of
from hebbarium.life.jobs import Jobs
from hebbarium.life.observers import AtTheEnd
from hebbarium.rules.graded import TRACE, GradedRule, trace_of, weights_of
from hebbarium.rules.rule import AnyRule
from hebbarium.search.base import Settings
from hebbarium.search.genes import ETAS, check_apart, genes_of
from hebbarium.search.registry import SEARCHES, USUAL_SEARCH, check_takes, usual_search
from hebbarium.search.space import LAYERINGS, REAL, Space, space_of
from hebbarium.store.evaluation_rows import Record, Wanted
from hebbarium.store.world_of_run import Named, names_counted, remember, world_of_run
from hebbarium.store.writing import Run
from hebbarium.studies import engine
from hebbarium.studies.engine import Kernels, Lab, Place, Study
from hebbarium.studies.evolve.best_rules import best_rules, distinct_rules, placed, rule_of_row, with_life
from hebbarium.studies.evolve.limits import check_room
from hebbarium.studies.evolve.one_search import RESCORE, SEARCH, Lifetimes, Lineage, words_of
from hebbarium.tools.errors import BadInput, RunError, check_choice, check_integer, check_seed, counted, nearest_word
from hebbarium.tools.fields import take
from hebbarium.tools.progress import Report, Showing, Telling
from hebbarium.worlds.base import UnknownSetting, World
from hebbarium.worlds.checking import check_names
from hebbarium.worlds.registry import make_world

KIND = "evolve"
MOST_RUNS = 100_000
RESULTS = {"rules", "best", "curves"}
"""What is made of the evaluations in the end."""
OWN = ("runs", "seed", "top", "rescore", "layers", "genes")
"""What is neither the task's, the brain's nor the search's."""


@dataclass(frozen=True, kw_only=True)
class Evolution(Ways, Study[Run]):
    """What is asked for. Instances are checked, immutable and comparable."""

    search: str = field(default=USUAL_SEARCH, metadata={"choices": tuple(SEARCHES)})
    """The search algorithm; genetic is the paper's, and the usual one with genes."""
    settings: Settings
    """The search's settings."""
    runs: int = 1
    """Number of independent runs of the search; a larger number extends an existing run."""
    seed: int | tuple[int, ...] = field(default=1, metadata={"kind": int})
    """Random seed: the same seed gives the same rules."""  # several, where runs made apart were merged
    top: int = 10
    """How many of the best rules of each run's last population to report."""
    rescore: int = 100
    """Fresh lifetimes on which each reported rule is scored again; 0 for none."""
    layers: str = field(default="same", metadata={"choices": LAYERINGS})
    """What is searched: one rule and eta for all layers (same); one rule, an eta for each layer (two-etas); the hidden
    layers frozen (output); a rule and an eta for each layer (separate)."""
    genes: str | Sequence[str] = ()
    """What each rule has of its own beside entries and etas: blame and eligibility of every group of judgements, or of
    single ones, such as blame,eligibility:missed; its trace; or entries, to make them real numbers. Not with racing.
    etas is short for --layers two-etas."""

    kind = KIND
    doing = "evolving"
    growing = ("runs",)
    size = 0
    """Unknown beforehand: a search stops when it finds nothing better."""

    def __post_init__(self) -> None:
        remember(self.world)
        seeds = list(self.seed) if isinstance(self.seed, (list, tuple)) else None
        if seeds is not None and len(seeds) != self.runs:
            raise BadInput(f"there are {len(seeds)} seeds for {self.runs} runs, but each needs its own.")
        genes = genes_of(self.genes, self.world)
        if ETAS in genes and self.layers == "same" and self.brain.sizes:  # else each layer's eta is searched anyway
            object.__setattr__(self, "layers", "two-etas")
        plain: dict[str, Any] = {
            "genes": tuple(gene for gene in genes if gene != ETAS),
            "runs": check_integer("runs", self.runs, 1, MOST_RUNS),
            "seed": check_seed(self.seed) if seeds is None else tuple(map(check_seed, seeds)),
            "top": check_integer("top", self.top, 1),
            "rescore": check_integer("rescore", self.rescore, 0),
        }
        for name, number in plain.items():
            object.__setattr__(self, name, number)
        super().__post_init__()
        check_takes(self.search, self.space)
        reach = any(gene.startswith("eligibility") for gene in self.genes)
        check_traces(self.brain, self.eligibility or ({"gene": 1.0} if reach else {}), TRACE in self.genes)
        for kind in ("blame", "eligibility"):
            check_apart(self.genes, kind, getattr(self, kind), self.world)

    @property
    def origins(self) -> list[tuple[int, int]]:
        """Of each run the seed, and its number among the runs of that seed."""
        counts: Counter[int] = Counter()
        origins = []
        for seed in [self.seed] * self.runs if isinstance(self.seed, int) else self.seed:
            origins.append((seed, counts[seed]))
            counts[seed] += 1
        return origins

    @classmethod
    def of(cls, task: str | World, search: str | None = None, **options: Any) -> Evolution:
        """The checked evolution.

        options: runs, seed, top, rescore, layers, blame, eligibility, genes, and any settings of the task, the brain
        and the search."""
        search = usual_search(options.get("genes")) if search is None else search
        check_choice("search", search, tuple(SEARCHES))
        settings_class = SEARCHES[search].settings_class
        own, ways = take(options, OWN), take(options, WAYS)
        of_search = take(options, settings_class.names())
        world = make_world(task)
        for name in options:
            if name not in (known := [field.name for field in dataclasses.fields(world)]):
                known += [*settings_class.names(), *OWN]
                nearest = nearest_word(name, known)
                hint = f"; did you mean {nearest!r}?" if nearest else f", only {', '.join(known)}."
                raise UnknownSetting(f"evolve by {search} has no setting {name!r}{hint}", name, nearest)
        check_names(world, OWN, WAYS, settings_class.names(), inspect.signature(evolve).parameters)
        world = make_world(world, **options)
        special = bool(set(genes_of(own.get("genes"), world)) - {REAL, ETAS})
        ways = ways_of(world, special, **ways)
        return cls(**ways, search=search, settings=settings_class(**of_search), **own)

    @classmethod
    def of_configuration(cls, stored: dict[str, Any], world: Named | None = None) -> Evolution:
        """What `configuration` gave. world: a user's own, by the name they give it (`store/world_of_run.py`)."""
        settings = SEARCHES[stored["search"]].settings_class(**stored["search_settings"])
        own, ways = ({name: stored[name] for name in names if name in stored} for names in (("search", *OWN), WAYS))
        if "scaling" in ways:
            ways["scaling"] = scaling_of_run(ways["scaling"])
        return cls(**ways_of(world_of_run(stored, world), **ways), settings=settings, **own)

    def configuration(self) -> dict[str, Any]:
        """Every setting of the evolution by name, as a run stores it."""
        return {
            **self.world.about(),
            "search": self.search,
            "runs": self.runs,
            "seed": self.seed if isinstance(self.seed, int) else list(self.seed),
            "hidden": self.hidden,
            "top": self.top,
            "rescore": self.rescore,
            "task_settings": self.world.settings(),
            "search_settings": self.settings.settings(),
            **self.widened(),
        }

    def widened(self) -> dict[str, Any]:
        """What differs from the paper's kind of rule and the world's usual brain, by name."""
        layers = {} if self.layers == "same" else {"layers": self.layers}
        return {**layers, **({"genes": list(self.genes)} if self.genes else {}), **super().widened()}

    @property
    def blamed(self) -> bool:
        return super().blamed or bool(set(self.genes) - {REAL})

    @property
    def space(self) -> Space:
        return space_of(self.layers, self.genes, self.brain.layers)

    @property
    def folder(self) -> Path:
        search = self.search if self.layers == "same" else f"{self.search}-{self.layers}"
        search += "-genes" if self.genes else ""
        seed = self.seed if isinstance(self.seed, int) else "merged"
        return Path("runs") / f"{KIND}-{self.world.label}-{search}-{seed}"

    @property
    def title(self) -> str:
        return f"evolving {self.world.label}, {self.search} search, {counted(self.runs, 'run')}, seed {self.seed}"

    @property
    def cost(self) -> str:
        cost = self.settings.cost()
        return f"{self.title}: {cost}." if cost else ""

    def kernels(self) -> list[Kernels]:
        brain = dataclasses.replace(self.brain, trace=0.5) if TRACE in self.genes else self.brain
        return [Kernels(self.world, brain, blamed=self.blamed, rules=self.space.samples())]

    def recall(self, lab: Lab) -> Run | None:
        # Results may be missing after damage; they are made again from the evaluations.
        assert lab.run is not None
        if not set(lab.run.results()) >= RESULTS:
            return None
        lab.report.say(f"{lab.folder} was finished on {lab.run.finished}; this is its result.")
        return lab.run

    def reduce(self, lab: Lab) -> Run:
        """Live what all searches wait for, batch by batch, until each is over; then rank the rules found."""
        run, ledger = lab.run, lab.ledger
        assert run is not None
        assert ledger is not None
        names = names_counted(self.world)
        if names is not None and run.result("counted") != names:
            lab.save(results={"counted": names})
        lineages = self.lineages()
        for lineage in lineages:
            lineage.take_stored(ledger)
        stored = run.totals()[1]
        lab.advance(stored, stored=True)
        pace: Pace | None = None
        while wanted := _batch(lineages, pace.lifetimes if pace else 0):
            executor = lab.executor
            pace = pace or Pace(executor)
            wanted = _batch(lineages, pace.lifetimes)
            began = time.perf_counter()
            records = lived(self, wanted, executor)
            lab.save(records)
            for record in records:
                lineages[record.run].take(record)
            if ledger.unasked:  # after a repair, what follows may be there
                for lineage in lineages:
                    lineage.take_stored(ledger)
            lives = sum(record.lifetimes for record in records)
            pace.learn(lives, time.perf_counter() - began)
            pace.evaluations += len(records)
            state = State(lineages, pace.evaluations, pace.lived, pace.seconds, executor.words, stored)
            lab.advance(lives, "; ".join(state.words()), state.lifetimes_left)
            lab.report.watch(state)
        ledger.check_all_asked()
        instances = [lineage.instances() for lineage in lineages]
        results = {
            "rules": distinct_rules([one for some in instances for one in some]),
            "best": best_rules(instances),
            "curves": [[vars(moment) for moment in lineage.history] for lineage in lineages],
        }
        lab.save(results=results)
        return run

    def lineages(self) -> list[Lineage]:
        """A search for each run, at its beginning."""
        made = []
        for run, (seed, number) in enumerate(self.origins):
            search = SEARCHES[self.search](self.settings, seed, number, self.space)
            made.append(Lineage(search, run, Lifetimes.of(seed, number), self.top, self.rescore))
        return made


@dataclass(frozen=True)
class State:
    """How far an evolution is, for a display."""

    lineages: Sequence[Lineage]
    evaluations: int
    """Lived since this process began, as are the following."""
    lifetimes: int
    seconds: float
    place: str = ""
    """Where it is lived, where that is worth telling."""
    stored: int = 0
    """Lifetimes that were stored before this process began."""

    @property
    def leader(self) -> Lineage:
        """The run of the search with the best rule so far."""
        return max(self.lineages, key=lambda one: one.history[-1].best if one.history else float("-inf"))

    @property
    def lifetimes_left(self) -> int:
        """To the stopping rule, should no search find anything better any more."""
        return sum(lineage.lifetimes_left for lineage in self.lineages)

    @property
    def seconds_left(self) -> float:
        return self.lifetimes_left * self.seconds / max(self.lifetimes, 1)

    def words(self) -> list[str]:
        """Generation or round, best and mean fitness, the best rule, evaluations a second."""
        leader, runs = self.leader, len(self.lineages)
        searched = sum(lineage.searched for lineage in self.lineages)
        rounds = [lineage.search.generation for lineage in self.lineages]
        span = f"{min(rounds)}" if min(rounds) == max(rounds) else f"{min(rounds)} to {max(rounds)}"
        where = f"{words_of(leader.search.name).round} {span}"
        where += f", {searched} of {runs} runs searched" if runs > 1 else ""
        rate = self.evaluations / max(self.seconds, 1e-9)
        lines = [", ".join(filter(None, (where, f"{rate:,.3g} evaluations/s", self.place)))]
        best = leader.search.best
        if best is not None and leader.history:
            whose = f" (run {leader.run + 1})" if runs > 1 else ""
            mean = leader.history[-1].mean
            etas = ", ".join(f"{part.eta:.4f}" for part in best.rule.learning)
            lines.append(f"best {best.fitness:z.2f}, mean {mean:z.2f}{whose}: {best.rule} at eta {etas}")
        return lines


Watch = Callable[[State], None]


@suggesting
def evolve(
    task: str | World = "foraging",
    search: str | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    threads: Executor | int | None = None,
    watch: Watch | None = None,
    **options: Any,
) -> Run:
    """Evolve rules, or resume a run that was begun, or just open one that is finished.

    search: racing unless given; the genetic algorithm with genes, which racing does not take.
    out: the run's folder; `runs/evolve-TASK-SEARCH-SEED` unless given.
    options: runs, seed, top, rescore, layers, blame, eligibility, genes (see Evolution), and any settings of the
    task, the brain (hidden among them) and the search.
    threads: how many, or an executor that lives elsewhere.
    watch: called with the State after each batch, instead of showing progress in a terminal or notebook.
    Returns the finished run.
    """
    evolution = Evolution.of(task, search, **options)
    return carry_out(evolution, out, threads=threads, watch=watch, report=None if watch else Showing())


def carry_out(
    evolution: Evolution,
    out: str | os.PathLike[str] | None = None,
    *,
    threads: Place | Executor | int | None = None,
    watch: Watch | None = None,
    report: Report | None = None,
) -> Run:
    """The finished run. Interrupted at any moment, the same call resumes, and ends with the same results to the last
    bit."""
    folder = evolution.folder if out is None else Path(out)
    check_room(evolution)
    engine.carry_out(evolution, folder, threads=threads, report=report or Telling(watch=watch))
    return Run(folder)  # what was stored before has been checked


class Pace:
    """How many lifetimes fill a batch, learnt on the way."""

    def __init__(self, executor: Executor) -> None:
        self._aim = executor.seconds
        self.lifetimes = self._least = 16 * executor.hands
        self.evaluations, self.lived, self.seconds = 0, 0, 0.0

    def learn(self, lived: int, seconds: float) -> None:
        self.lived += lived
        self.seconds += seconds
        # No more than doubled at once: the next rules may be slower to live by.
        fitting = int(lived * self._aim / max(seconds, 1e-6))
        self.lifetimes = max(self._least, min(fitting, 2 * self.lifetimes))


def _batch(lineages: Sequence[Lineage], lifetimes: int) -> list[Wanted]:
    """What is wanted first, from those who are furthest behind, until there are enough lifetimes."""
    batch: list[Wanted] = []
    active = [lineage for lineage in lineages if not lineage.finished]
    for lineage in sorted(active, key=lambda one: (one.searched, one.search.generation)):
        for wanted in lineage.waiting():
            if batch and lifetimes < wanted.lifetimes:
                return batch
            batch.append(wanted)
            lifetimes -= wanted.lifetimes
    return batch


def lived(
    ways: Ways, batch: Sequence[Wanted], executor: Executor | int | None, rules: Sequence[AnyRule] | None = None
) -> list[Record]:
    """What is wanted, lived. rules: what is lived by instead of the rules that are wanted.

    Rules with blame and eligibility of their own have theirs beside those of the ways."""
    world, brain = ways.world, ways.brain
    sizes = [wanted.lifetimes for wanted in batch]
    firsts = [wanted.first_trial for wanted in batch]
    trials = np.concatenate([wanted.first_trial + np.arange(wanted.lifetimes, dtype=np.uint64) for wanted in batch])
    rules = [wanted.rule for wanted in batch] if rules is None else rules
    jobs = Jobs.of(rules, [wanted.seed for wanted in batch], firsts, brain.layers)
    if ways.blame or ways.eligibility or any(isinstance(rule, GradedRule) for rule in rules):
        blames = [{**ways.blame, **weights_of(rule, "blame")} for rule in rules]
        reaches = [{**ways.eligibility, **weights_of(rule, "eligibility")} for rule in rules]
        jobs = dataclasses.replace(
            jobs, blame=rows_by_judgement(world, blames, 1.0), eligibility=rows_by_judgement(world, reaches, 0.0)
        )
    traces = np.array([trace_of(rule) for rule in rules])
    if traces.any():
        # What is more than 0 makes it a brain with traces; each life has its own.
        brain, jobs = dataclasses.replace(brain, trace=traces.max()), dataclasses.replace(jobs, trace=traces)
    jobs = jobs.repeated(sizes, trials)
    counts = executors.run(executor, world, brain, jobs).counts
    scores = world.life_fitness(counts)
    parts = [slice(end - size, end) for size, end in zip(sizes, np.cumsum(sizes).tolist(), strict=True)]
    return [
        Record(
            wanted.stage,
            wanted.run,
            wanted.number,
            wanted.rule,
            wanted.seed,
            wanted.first_trial,
            tuple(scores[part].tolist()),
            counts[part],
            generation=wanted.generation,
        )
        for wanted, part in zip(batch, parts, strict=True)
    ]


def asked_for(run: Run, world: Named | None = None) -> Evolution:
    """The evolution that a run was begun with. world: one of the user's own, by the name they gave it."""
    try:
        return Evolution.of_configuration(run.configuration, world)
    except (LookupError, TypeError, ValueError):
        raise RunError(f"{run.folder} is not a run of `{KIND}` that this version can read.") from None


def summary(run: Run, world: Named | None = None) -> dict[str, Any]:
    """What `hebbarium evolve --json` prints of a finished run. world: as in `asked_for`"""
    evolution = asked_for(run, world)
    evaluations, lifetimes = run.totals(SEARCH)
    rescored, rescored_lifetimes = run.totals(RESCORE)
    best = run.result("rules")[0]
    own = evolution.blamed or evolution.brain.changed_settings(evolution.world)  # the atlas is about the usual brain
    return {
        "run": str(run.folder),
        **(evolution.world.about() | {"task": evolution.world.label}),
        **evolution.widened(),
        "search": evolution.search,
        "runs": evolution.runs,
        "seed": evolution.seed if isinstance(evolution.seed, int) else list(dict.fromkeys(evolution.seed)),
        "evaluations": evaluations,
        "lifetimes": lifetimes,
        "rescored": {"evaluations": rescored, "lifetimes": rescored_lifetimes},
        "rules": with_life(evolution, run.result("rules")) if set(evolution.genes) - {REAL} else run.result("rules"),
        "best": run.result("best"),
        **_judged(evolution, best),
        "atlas": None if own else placed(best["rule"], best["eta_mean"], evolution.world, evolution.hidden),
        "digest": run.digest(),
    }


def _judged(evolution: Evolution, best: dict[str, Any]) -> dict[str, str]:
    """What to say where little could be learned from how steps are judged, if anything: known of one life by the best
    rule, in worlds that count judgements."""
    world, rule = evolution.world, rule_of_row(best)
    if world.lived_by == World.lived_by:
        return {}
    jobs = evolution.weighted(Jobs.of_rule(rule, 1, evolution.origins[0][0], 0, evolution.brain.layers))
    (end,) = executors.run(1, world, evolution.brain, jobs, [AtTheEnd()]).seen
    words = world.judged(end["signals"][0].tolist())
    return {"judged": f"In a life by {rule}: {words[0].lower()}{words[1:]}"} if words else {}
