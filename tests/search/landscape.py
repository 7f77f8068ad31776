"""Rules to search among without living: a smooth made-up landscape with noise, for tests of searches."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Sequence

from hebbarium.rules.rule import Rule
from hebbarium.search.base import Evaluation, Request, Search

GOAL = Rule("00+-/0000", 0.04)


def value(rule: Rule) -> float:
    """48 at the goal, less with every other entry and with the distance in log eta."""
    same = sum(one == other for one, other in zip(rule.entries, GOAL.entries, strict=True))
    assert rule.eta is not None
    away = math.log10(max(rule.eta, 1e-6) / 0.04)
    return 48 * math.exp(-(away**2)) * (same / 8) ** 3


def noisy(request: Request, trial: int) -> tuple[float, ...]:
    """Scores of the run's lifetimes from `trial` on: the value and a noise that (rule, trial) fixes."""
    return tuple(value(request.rule) + 6 * _noise(request.rule, trial + number) for number in range(request.lifetimes))


def flat(request: Request, trial: int) -> tuple[float, ...]:
    """Every rule is worth nothing."""
    return (0.0,) * request.lifetimes


def _noise(rule: Rule, trial: int) -> float:
    """Uniform with deviation 1."""
    digest = hashlib.blake2b(json.dumps([rule.notation, rule.eta, trial]).encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") / 2**64 - 0.5) * math.sqrt(12)


Score = Callable[[Request, int], tuple[float, ...]]


def step(search: Search, trial: int, score: Score = noisy) -> tuple[list[Evaluation], int]:
    """One round; the evaluations told and the next trial."""
    told = []
    for request in search.ask():
        told.append(Evaluation(request, score(request, trial)))
        trial += request.lifetimes
    search.tell(told)
    return told, trial


def run(search: Search, score: Score = noisy, rounds: int | None = None) -> list[Evaluation]:
    """To the search's end, or for some rounds; everything that was told."""
    told: list[Evaluation] = []
    trial = 0
    while rounds != 0 and search.ask():
        some, trial = step(search, trial, score)
        told += some
        rounds = None if rounds is None else rounds - 1
    return told


def asked(told: Sequence[Evaluation]) -> list[tuple[str, float | None, int]]:
    return [(each.request.rule.notation, each.request.rule.eta, each.request.lifetimes) for each in told]
