"""Relatives of the best rules: what a racing search tries next while lives are not noisy."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from hebbarium.search.space import HALVES, digits, number_of

if TYPE_CHECKING:
    from hebbarium.search.racing import Racing
    from hebbarium.search.racing_memory import Estimates, Pair

DRAWS = 10
"""Relatives drawn in the hope of one that was not tried yet."""


class Family:
    """The best of the moment, and relatives of them."""

    def __init__(self, search: Racing, estimates: Estimates) -> None:
        self.search, self.settings, self.random = search, search.settings, search.random
        size, halves = self.settings.parents, search.space.halves
        self.parents = at_most_per_rule(estimates.ranked(), 1, size)
        self.by_half = [_first_of_each(estimates, place, halves, size) for place in range(halves)]
        """For each half the best pairs, of which no two have that half in common."""

    def relative(self) -> Pair:
        """One that was not tried yet, where chance finds one."""
        pair = self.draw()
        for _ in range(DRAWS):
            if not self.search.memory.is_known(pair):
                break
            pair = self.draw()
        return pair

    def draw(self) -> Pair:
        settings = self.settings
        kinds = (settings.joined_halves, settings.redrawn_half, settings.other_eta, settings.two_entries)
        kind = bisect.bisect_right(list(itertools.accumulate(kinds)), float(self.random.random()))
        if kind == 0:
            return self.of_two_halves()
        rule, level = self.ranked(self.parents)
        if kind == 1:
            return self.with_half_redrawn(rule), self.near(level, 1.5)
        if kind == 2:
            return rule, self.elsewhere(level)
        return self.changed(rule, 2 if kind == 3 else 1), self.near(level, 1.5)

    def with_half_redrawn(self, rule: int) -> int:
        half = int(self.random.integers(HALVES))
        count = self.search.space.halves
        halves = digits(rule, HALVES, count)
        halves[count - 1 - int(count * float(self.random.random()))] = half
        return number_of(halves, HALVES)

    def of_two_halves(self) -> Pair:
        """A half of each of two rules; of four where there are two layers."""
        count = self.search.space.halves
        pairs = [self.ranked(best) for best in self.by_half]
        level = pairs[int(count * float(self.random.random()))][1]
        halves = [digits(pair[0], HALVES, count)[place] for place, pair in enumerate(pairs)]
        return number_of(halves, HALVES), self.near(level, 1.5)

    def changed(self, rule: int, changes: int) -> int:
        entries = digits(rule, 3, self.search.space.entries)
        for place in self.random.permutation(len(entries))[:changes].tolist():
            entries[place] = (entries[place] + int(self.random.integers(1, 3))) % 3
        return number_of(entries, 3)

    def elsewhere(self, level: int) -> int:
        """Some steps away or, as often, anywhere: a rule's best eta may lie far from where it was first met. Of two
        etas one moves."""
        steps, etas = len(self.search.etas), self.search.space.etas
        levels = digits(level, steps, etas)
        place = 0 if etas == 1 else int(self.random.integers(etas))
        anywhere = self.random.random() < 0.5
        levels[place] = int(self.random.integers(steps)) if anywhere else self.moved(levels[place], 3.0)
        return number_of(levels, steps)

    def near(self, level: int, deviation: float) -> int:
        steps = len(self.search.etas)
        moved = [self.moved(one, deviation) for one in digits(level, steps, self.search.space.etas)]
        return number_of(moved, steps)

    def moved(self, level: int, deviation: float) -> int:
        moved = level + round(deviation * float(self.random.standard_normal()))
        return min(max(moved, 0), len(self.search.etas) - 1)

    def ranked(self, best_first: Sequence[Pair]) -> Pair:
        """The better, the more often: half of the draws are among the first quarter."""
        return best_first[int(len(best_first) * float(self.random.random()) ** 2)]


def at_most_per_rule(ranked: Iterable[Pair], limit: int, size: int | None = None) -> list[Pair]:
    """The first `limit` pairs of each rule; the first `size` of them, where that is given."""
    seen: dict[int, int] = {}
    kept: list[Pair] = []
    for pair in ranked:
        before = seen.get(pair[0], 0)
        if before < limit:
            if len(kept) == size:
                break
            seen[pair[0]] = before + 1
            kept.append(pair)
    return kept


def _first_of_each(estimates: Estimates, place: int, halves: int, size: int) -> list[Pair]:
    """The best pair of each half at that place, in the order of the halves' best; so many of them."""
    import numpy as np

    best_first = estimates.by_mean
    found = estimates.rules[best_first] // HALVES ** (halves - 1 - place) % HALVES
    first = best_first[np.sort(np.unique(found, return_index=True)[1])[:size]]
    return list(zip(estimates.rules[first].tolist(), estimates.levels[first].tolist(), strict=True))
