"""How reliably does each search find the best rule, and for how many lifetimes?

    python benchmarks/searches.py --searches genetic racing --seeds 1-30

Each run is one search with one seed. All runs go on side by side, a round of each at a time, so that all
cores are busy; what a run finds depends on its seed only. A run's best rule is the one the search itself
reports at its end; it is scored again on fresh lifetimes that the search never saw. Run 1 of
`hebbarium evolve TASK --search NAME --seed SEED` lives the same lifetimes and finds the same.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.brains.base import Brain
from hebbarium.executors.base import run as live
from hebbarium.life.batch import prepare
from hebbarium.life.jobs import Jobs
from hebbarium.rules.rule import Rule
from hebbarium.search.base import Evaluation, Request, Search
from hebbarium.search.registry import SEARCHES, make_search
from hebbarium.studies.evolve.one_search import RESCORE, SEARCH, lifetime_seed
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import make_world

BEST_RULES = {"foraging": "00+-/0000"}
"""The best of all 6,561 rules, where they were all tried."""
NEAR = 2.0
"""A rule whose fitness is within so many points, or standard errors, of the one it is compared with is as good."""


@dataclass
class Run:
    """One search with one seed, and what it spent."""

    seed: int
    search: Search
    trials: int = 0
    evaluations: int = 0
    lifetimes: int = 0
    asked: list[Request] = field(default_factory=list)
    rescored: list[float] = field(default_factory=list)
    against: list[float] = field(default_factory=list)
    """What the rule to compare with scores on the same lifetimes."""

    @property
    def best(self) -> Rule:
        best = self.search.best
        assert best is not None
        return best.rule

    def jobs(self) -> list[tuple[Rule, int, int]]:
        """Rule, seed and trial of each lifetime of the next round."""
        self.asked = self.search.ask()
        seed = lifetime_seed(self.seed, 0, SEARCH)
        jobs = []
        for request in self.asked:
            first = self.trials if request.first_trial is None else request.first_trial
            jobs += [(request.rule, seed, first + number) for number in range(request.lifetimes)]
            self.trials = max(self.trials, first + request.lifetimes)
        return jobs

    def tell(self, scores: Sequence[float]) -> None:
        told, at = [], 0
        for request in self.asked:
            told.append(Evaluation(request, tuple(scores[at : at + request.lifetimes])))
            at += request.lifetimes
        self.search.tell(told)
        self.evaluations += len(told)
        self.lifetimes += at


def lived(task: World, jobs: Sequence[tuple[Rule, int, int]]) -> list[float]:
    rules, seeds, trials = zip(*jobs, strict=True)
    outcome = live(None, task, Brain.of(task), Jobs.of(rules, seeds, trials))
    return [float(score) for score in task.life_fitness(outcome.counts)]


def live_side_by_side(task: World, parts: Sequence[list[tuple[Rule, int, int]]]) -> list[list[float]]:
    """The scores of each part's jobs, all lived together."""
    scores = lived(task, [job for part in parts for job in part])
    ends = np.cumsum([len(part) for part in parts])
    return [scores[end - len(part) : end] for part, end in zip(parts, ends, strict=True)]


def search_all(task: World, runs: Sequence[Run]) -> None:
    started = time.perf_counter()
    while active := [run for run in runs if not run.search.finished]:
        for run, scores in zip(active, live_side_by_side(task, [run.jobs() for run in active]), strict=True):
            run.tell(scores)
        total = sum(run.lifetimes for run in runs)
        rate = total / (time.perf_counter() - started)
        print(f"\r{len(active)} runs going, {total} lifetimes, {rate:.0f} a second ", end="", flush=True)
    print()


def rescore(task: World, runs: Sequence[Run], lifetimes: int, against: Rule | None) -> None:
    for run, scores in zip(runs, _scored_again(task, runs, [run.best for run in runs], lifetimes), strict=True):
        run.rescored = scores
    if against is not None:
        for run, scores in zip(runs, _scored_again(task, runs, [against] * len(runs), lifetimes), strict=True):
            run.against = scores


def _scored_again(task: World, runs: Sequence[Run], rules: Sequence[Rule], lifetimes: int) -> list[list[float]]:
    """A rule for each run, on the run's own fresh lifetimes."""
    seeds = [lifetime_seed(run.seed, 0, RESCORE) for run in runs]
    parts = [[(rule, seed, number) for number in range(lifetimes)] for rule, seed in zip(rules, seeds, strict=True)]
    return live_side_by_side(task, parts)


def record(run: Run) -> dict[str, Any]:
    best = run.search.best
    assert best is not None
    return {
        "search": run.search.name,
        "seed": run.seed,
        "best": best.rule.notation,
        "eta": best.rule.eta,
        "fitness": best.fitness,
        "rescored": float(np.mean(run.rescored)),
        "generations": run.search.generation,
        "evaluations": run.evaluations,
        "lifetimes": run.lifetimes,
        **_difference(run),
    }


def _difference(run: Run) -> dict[str, float]:
    """From the rule to compare with, paired over lifetimes."""
    if not run.against:
        return {}
    difference = np.subtract(run.rescored, run.against)
    return {"difference": difference.mean(), "error": difference.std(ddof=1) / np.sqrt(len(difference))}


def row(name: str, records: Sequence[dict[str, Any]], target: str) -> str:
    def spread(key: str, digits: int = 0) -> str:
        values = [each[key] for each in records]
        deviation = np.std(values, ddof=1) if len(values) > 1 else 0.0
        return f"{np.mean(values):.{digits}f} ± {deviation:.{digits}f}"

    found = sum(each["best"] == target for each in records)
    share = f"{found} of {len(records)}" if target else "-"
    return (
        f"| {name} | {share} | {spread('lifetimes')} | {spread('evaluations')} "
        f"| {spread('fitness', 1)} | {spread('rescored', 1)} |"
    )


def report(records: Sequence[dict[str, Any]], searches: Sequence[str], target: str) -> None:
    print(f"\n| search | found {target or 'the best'} | lifetimes | evaluations | its best's fitness | scored again |")
    print("|---|---|---|---|---|---|")
    for name in searches:
        print(row(name, [each for each in records if each["search"] == name], target))
    for name in searches:
        counts = Counter(each["best"] for each in records if each["search"] == name)
        print(f"\n{name}: " + ", ".join(f"{rule} x {count}" for rule, count in counts.most_common()))


def report_differences(records: Sequence[dict[str, Any]], against: Rule) -> None:
    print(f"\n| search | seed | rule | eta | lifetimes | scored again | difference from {against} at {against.eta} |")
    print("|---|---|---|---|---|---|---|")
    for each in records:
        print(
            f"| {each['search']} | {each['seed']} | {each['best']} | {each['eta']:.4g} | {each['lifetimes']} "
            f"| {each['rescored']:.1f} | {each['difference']:.1f} ± {each['error']:.1f} |"
        )
    for name in dict.fromkeys(each["search"] for each in records):
        own = [each for each in records if each["search"] == name]
        near = sum(each["difference"] >= -max(NEAR, NEAR * each["error"]) for each in own)
        print(f"\n{name}: {near} of {len(own)} as good, to within {NEAR:g} points or standard errors")


def read_seeds(text: str) -> list[int]:
    """1-30, or 3, or 1,4,9."""
    parts = [part.partition("-") for part in text.split(",")]
    return [seed for first, dash, last in parts for seed in range(int(first), int(last if dash else first) + 1)]


def read_rule(text: str) -> Rule:
    """NOTATION@ETA"""
    notation, _, eta = text.partition("@")
    return Rule(notation, float(eta))


def read_settings(texts: Sequence[str]) -> dict[str, Any]:
    """NAME=VALUE, the value as JSON where it is JSON."""
    settings = {}
    for name, _, value in (text.partition("=") for text in texts):
        try:
            settings[name] = json.loads(value)
        except json.JSONDecodeError:
            settings[name] = value
    return settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="foraging")
    parser.add_argument("--searches", nargs="+", default=["genetic", "racing"], choices=list(SEARCHES))
    parser.add_argument("--seeds", type=read_seeds, default=read_seeds("1-30"), help="such as 1-30 or 1,4,9")
    parser.add_argument("--target", help="the rule to be found (default: the task's best, where known)")
    parser.add_argument(
        "--against", type=read_rule, help="compare each best rule with this one, such as 0-+0/0-00@0.83"
    )
    parser.add_argument("--rescore", type=int, default=100, help="lifetimes that score each best rule again")
    parser.add_argument("--setting", nargs="*", default=[], metavar="NAME=VALUE", help="of every search named")
    parser.add_argument("--out", type=Path, help="write every run as JSON")
    options = parser.parse_args()
    task = make_world(options.task)
    prepare(task)
    settings = read_settings(options.setting)
    runs = [Run(seed, make_search(name, seed, **settings)) for name in options.searches for seed in options.seeds]
    search_all(task, runs)
    rescore(task, runs, options.rescore, options.against)
    records = [record(run) for run in runs]
    if options.out:
        options.out.write_text(json.dumps(records, indent=1))
    target = options.target or BEST_RULES.get(options.task, "")
    report(records, options.searches, Rule(target).notation if target else "")
    if options.against:
        report_differences(records, options.against)


if __name__ == "__main__":
    main()
