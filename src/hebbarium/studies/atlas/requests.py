"""What to live next: requests computed from the plan and the lives so far, and from nothing else.

So an atlas that was killed resumes exactly where it was.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hebbarium.studies.atlas.plan import HIGHEST_ETA, LOWEST_ETA, Plan, Stage
from hebbarium.studies.atlas.scores import FRESH, Columns, Means, Scores, means

SAME = 1.01
"""Etas closer than this factor are taken for the same."""
NEAR = 1.08
"""Etas closer than this factor to the one wanted are taken instead of it."""
MOST_ROUNDS = 6
"""Rounds after which a stage lets an eta be that wanders up and down a flat ridge."""


@dataclass(frozen=True)
class Requests(Columns):
    """Lives to be lived, one row each, in a fixed order."""

    trial: np.ndarray
    """int64 [life]"""

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
    wanted: list[tuple[int, float, int, int]] = []
    if stage.name == "survey":
        if not len(lives):
            wanted = [(rule, eta, 0, stage.lifetimes) for rule in range(len(plan)) for eta in plan.etas]
        return Requests.of(wanted)
    tried = means(lives.chosen_on())
    chosen = best_of(tried)
    if stage.name == "scan" or stage.etas or stage.step:
        for rule in _leading(chosen.mean, plan.kept(stage)):
            rows = tried.rows_of(int(rule))
            etas, had, mean = tried.eta[rows], tried.lifetimes[rows], tried.mean[rows]
            if stage.name == "scan":
                in_question = plan.scanned(stage)
            elif stage.etas:
                most = np.flatnonzero(had == had.max())
                in_question = etas[np.sort(most[np.argsort(-mean[most], kind="stable")[: stage.etas]])].tolist()
            else:
                # The best and its neighbours a step away: ones that were measured already, where they are near enough.
                eta = best_eta(etas, had, mean)
                beside = (_near(eta / stage.step, etas), _near(eta * stage.step, etas))
                low, high = ([other] if max(other / eta, eta / other) > SAME else [] for other in beside)
                in_question = [*low, eta, *high]
            for eta in in_question:
                lived = int(had[etas == eta].sum())
                if lived < stage.lifetimes:
                    wanted.append((int(rule), eta, lived, stage.lifetimes))
        return Requests.of(wanted)
    scored = means(lives.fresh())
    mean, had = chosen.mean.copy(), np.zeros(len(plan), np.int64)
    mean[scored.rule], had[scored.rule] = scored.mean, scored.lifetimes
    for rule in _leading(mean, plan.kept(stage)):
        if had[rule] < stage.lifetimes:
            wanted.append((int(rule), float(chosen.eta[rule]), FRESH + int(had[rule]), FRESH + stage.lifetimes))
    return Requests.of(wanted)


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
    rows = []
    for first, end in zip(starts, [*starts[1:], len(known)], strict=True):
        own = slice(first, end)
        eta = best_eta(known.eta[own], known.lifetimes[own], known.mean[own])
        rows.append(int(first + np.flatnonzero(known.eta[own] == eta)[0]))
    return known[np.array(rows, np.int64)]


def _near(eta: float, etas: np.ndarray) -> float:
    eta = min(max(eta, LOWEST_ETA), HIGHEST_ETA)
    nearest = float(etas[np.argmin(np.abs(np.log(etas / eta)))])
    # Somewhat nearer or further than the step will do, and saves lifetimes.
    return nearest if max(nearest / eta, eta / nearest) < NEAR else float(f"{eta:.4g}")
