"""The best eta of a rule in a world, for a given number of lifetimes.

Two races: one over a coarse grid of etas, one around its winner. Where two layers learn, each has an eta of its own. In
each round of a race all etas that are left live the same fresh trials, and the best third is kept. The etas that the
rule came with take part in both.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hebbarium.rules.layered import rule_of
from hebbarium.rules.rule import AnyRule

LOWEST, HIGHEST = 0.0005, 0.8
"""Of the coarse grid; around its ends others are tried, too, up to MOST."""
MOST = 0.995
COARSE = {1: 12, 2: 7}
"""How many etas each layer has on the coarse grid, by the number of layers that learn."""
FINE = (-2 / 3, -1 / 3, 0.0, 1 / 3, 2 / 3)
"""Etas around the winner, in coarse steps."""
KEPT = 3
"""One in this many is kept after a round."""
FIRST_TRIAL = 1 << 32
"""Trials of the races, which no scored life ever meets."""

Etas = tuple[float, ...]
"""One for each layer that learns."""
Live = Callable[[Sequence[AnyRule], int, int], np.ndarray]
"""Some rules, the first trial and the number of lives: their fitness, float64 [rule, life]."""


@dataclass(frozen=True)
class Found:
    etas: Etas
    lifetimes: int
    """Spent on the search."""


def search(rule: AnyRule, budget: int, live: Live) -> Found:
    """Find the best eta of a rule in a world. budget: the most lifetimes it may spend, at least `least_budget(rule)`"""
    race = _Race(rule, budget // 2, live)
    given = () if rule.needs_eta else (etas_of(rule),)
    layers = len(rule.learning)
    step = math.exp(math.log(HIGHEST / LOWEST) / (COARSE[layers] - 1))  # from one eta of the coarse grid to the next
    coarse = [_round(LOWEST * step**place) for place in range(COARSE[layers])]
    winner = race.run([*itertools.product(coarse, repeat=layers), *given])
    around = ([min(_round(eta * step**part), MOST) for part in FINE] for eta in winner)
    return Found(race.run([*itertools.product(*around), *given]), race.lived)


def least_budget(rule: AnyRule) -> int:
    """Lifetimes with which every eta of the coarse grid lives once."""
    layers = len(rule.learning)
    etas = int(COARSE[layers] ** layers) + (not rule.needs_eta)
    return 2 * etas * _rounds(etas)


def etas_of(rule: AnyRule) -> Etas:
    return tuple(part.eta or 0.0 for part in rule.learning)


def with_etas(rule: AnyRule, etas: Etas) -> AnyRule:
    """
    >>> from hebbarium.rules.layered import read_rule
    >>> with_etas(read_rule("frozen,000-/0000"), (0.03,)).text
    'frozen,000-/0000@0.03'
    """
    if not rule.is_layered:
        return rule.with_eta(etas[0])
    left = list(etas)
    return rule_of(rule.notation, [None if part is None else left.pop(0) for part in rule.parts])


class _Race:
    """Races one after the other, each on trials of its own."""

    def __init__(self, rule: AnyRule, budget: int, live: Live) -> None:
        """budget: lifetimes of each race."""
        self.rule, self.budget, self.live = rule, budget, live
        self.lived, self.trial = 0, FIRST_TRIAL

    def run(self, candidates: Sequence[Etas]) -> Etas:
        """The winner of a race: in each round the best third of the etas is kept."""
        left = list(dict.fromkeys(candidates))
        total = dict.fromkeys(left, 0.0)
        rounds = _rounds(len(left))
        for _ in range(rounds):
            lives = self.budget // rounds // len(left)
            fitness = self.live([with_etas(self.rule, etas) for etas in left], self.trial, lives)
            for etas, own in zip(left, fitness, strict=True):
                total[etas] += float(own.sum())
            self.trial += lives
            self.lived += lives * len(left)
            left = sorted(left, key=lambda etas: -total[etas])[: -(-len(left) // KEPT)]
        return left[0]


def _rounds(candidates: int) -> int:
    """Rounds of a race until one candidate is left."""
    rounds = 0
    while candidates > 1:
        candidates, rounds = -(-candidates // KEPT), rounds + 1
    return rounds


def _round(eta: float) -> float:
    """To three digits, which is finer than the steps of the search."""
    return float(f"{eta:.3g}")
