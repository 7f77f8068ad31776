"""What to live next: requests computed from the plan and the lives so far, and from nothing else.

So an atlas that was killed goes on exactly where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hebbarium.studies.atlas.plan import HIGHEST_ETA, LOWEST_ETA, Plan, Stage
from hebbarium.studies.atlas.scores import FRESH, Means, Scores, means

SAME = 1.01
"""Etas closer than this factor are taken for the same."""
NEAR = 1.08
"""Etas closer than this factor to the one wanted are taken instead of it."""
MOST_ROUNDS = 6
"""Rounds after which a stage lets an eta be that wanders up and down a flat ridge."""

Chosen = Callable[[np.ndarray, np.ndarray, np.ndarray], list[float]]
"""Of one rule: its etas so far, the lifetimes and the mean of each -> the etas in question."""


@dataclass(frozen=True)
class Requests:
    """Lives to be lived, one row each, in a fixed order."""

    rule: np.ndarray
    """int64 [life]: the rule's place in the plan."""
    eta: np.ndarray
    """float64 [life]"""
    trial: np.ndarray
    """int64 [life]"""

    def __len__(self) -> int:
        return len(self.rule)

    def __getitem__(self, rows: slice) -> Requests:
        return Requests(self.rule[rows], self.eta[rows], self.trial[rows])

    @classmethod
    def joined(cls, parts: Sequence[Requests]) -> Requests:
        """One after the other."""
        columns = ([getattr(part, name) for part in parts] for name in ("rule", "eta", "trial"))
        return cls(*map(np.concatenate, columns))

    @classmethod
    def of(cls, wanted: list[tuple[int, float, int, int]]) -> Requests:
        """wanted: (rule, eta, first trial, end of trials)."""
        sizes = [end - first for _, _, first, end in wanted]
        trials = [np.arange(first, end) for _, _, first, end in wanted]
        return cls(
            np.repeat(np.array([rule for rule, *_ in wanted], np.int64), sizes),
            np.repeat(np.array([eta for _, eta, *_ in wanted], np.float64), sizes),
            np.concatenate(trials) if trials else np.zeros(0, np.int64),
        )


def rounds(stage: Stage) -> int:
    """How often a stage is asked for requests, at most. A scan changes who leads; that is for the next stage."""
    return 1 if stage.name == "scan" else MOST_ROUNDS


def requests(plan: Plan, stage: Stage, lives: Scores) -> Requests:
    """What the stage still needs; nothing when it is done."""
    if stage.name == "survey":
        return _survey(plan, stage, lives)
    if stage.name == "scan":
        return _scan(plan, stage, lives)
    if stage.etas:
        return _compare(plan, stage, lives)
    return _settle(plan, stage, lives) if stage.step else _score(plan, stage, lives)


def _survey(plan: Plan, stage: Stage, lives: Scores) -> Requests:
    if len(lives):
        return Requests.of([])
    return Requests.of([(rule, eta, 0, stage.lifetimes) for rule in range(len(plan)) for eta in plan.etas])


def _scan(plan: Plan, stage: Stage, lives: Scores) -> Requests:
    scanned = plan.scanned(stage)
    return _of_leading(plan, stage, means(lives.chosen_on()), lambda etas, had, mean: scanned)


def _compare(plan: Plan, stage: Stage, lives: Scores) -> Requests:
    def best(etas: np.ndarray, had: np.ndarray, mean: np.ndarray) -> list[float]:
        most = np.flatnonzero(had == had.max())
        rows = np.sort(most[np.argsort(-mean[most], kind="stable")[: stage.etas]])
        return [float(etas[row]) for row in rows]

    return _of_leading(plan, stage, means(lives.chosen_on()), best)


def _settle(plan: Plan, stage: Stage, lives: Scores) -> Requests:
    def around_best(etas: np.ndarray, had: np.ndarray, mean: np.ndarray) -> list[float]:
        return _around(best_eta(etas, had, mean), etas, stage.step)

    return _of_leading(plan, stage, means(lives.chosen_on()), around_best)


def _of_leading(plan: Plan, stage: Stage, known: Means, chosen: Chosen) -> Requests:
    """What the stage's leading rules still lack at the etas chosen for each."""
    wanted = []
    for rule in _leading(best_of(known).mean, plan.kept(stage)):
        rows = known.rows_of(int(rule))
        etas, had = known.eta[rows], known.lifetimes[rows]
        for eta in chosen(etas, had, known.mean[rows]):
            lived = int(had[etas == eta].sum())
            if lived < stage.lifetimes:
                wanted.append((int(rule), eta, lived, stage.lifetimes))
    return Requests.of(wanted)


def _score(plan: Plan, stage: Stage, lives: Scores) -> Requests:
    chosen = best_of(means(lives.chosen_on()))
    known = means(lives.fresh())
    mean = chosen.mean.copy()
    mean[known.rule] = known.mean
    had = np.zeros(len(plan), np.int64)
    had[known.rule] = known.lifetimes
    return Requests.of(
        [
            (int(rule), float(chosen.eta[rule]), FRESH + int(had[rule]), FRESH + stage.lifetimes)
            for rule in _leading(mean, plan.kept(stage))
            if had[rule] < stage.lifetimes
        ]
    )


def _leading(mean: np.ndarray, count: int) -> np.ndarray:
    """The rules with the highest means, in the order of their index."""
    order: np.ndarray = np.sort(np.argsort(-mean, kind="stable")[:count])
    return order


def best_eta(etas: np.ndarray, lifetimes: np.ndarray, mean: np.ndarray) -> float:
    """The best of the etas with the most lifetimes: a mean over few may be luck."""
    most = lifetimes == lifetimes.max()
    return float(etas[most][np.argmax(mean[most])])


def best_of(known: Means) -> Means:
    """For each rule its best eta."""
    starts = np.flatnonzero(np.diff(known.rule, prepend=-1))
    ends = np.append(starts[1:], len(known))
    rows = np.array([_best_row(known, int(first), int(end)) for first, end in zip(starts, ends, strict=True)], np.int64)
    return Means(
        known.rule[rows],
        known.eta[rows],
        known.lifetimes[rows],
        known.mean[rows],
        known.std[rows],
        known.distinct[rows],
    )


def _best_row(known: Means, first: int, end: int) -> int:
    rows = slice(first, end)
    eta = best_eta(known.eta[rows], known.lifetimes[rows], known.mean[rows])
    return first + int(np.flatnonzero(known.eta[rows] == eta)[0])


def _around(eta: float, etas: np.ndarray, step: float) -> list[float]:
    """The eta and its neighbours a step away: ones that were measured already, where they are near enough."""
    around = [_near(eta / step, etas), eta, _near(eta * step, etas)]
    return [other for place, other in enumerate(around) if place == 1 or max(other / eta, eta / other) > SAME]


def _near(eta: float, etas: np.ndarray) -> float:
    eta = min(max(eta, LOWEST_ETA), HIGHEST_ETA)
    nearest = float(etas[np.argmin(np.abs(np.log(etas / eta)))])
    # Somewhat nearer or further than the step will do, and saves lifetimes.
    return nearest if max(nearest / eta, eta / nearest) < NEAR else float(f"{eta:.4g}")
