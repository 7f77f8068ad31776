"""Graded blame and eligibility in words: how much each judgement counts, and how far back it reaches."""

from __future__ import annotations

from collections.abc import Mapping

from hebbarium.tools.errors import plain

FELT = 0.005
"""What weighs less is not worth a number."""


def blame_in_words(blame: Mapping[str, float], groups: Mapping[str, str]) -> str:
    """How much each judgement changes.

    blame: weights by group, or by the id of an association; 1 where none is given.
    groups: what each group judges, in words; what is not there is named as it is.

    >>> blame_in_words({"open-turn": 0.05}, {"open-turn": "turning in the open", "missed": "missing an item"})
    'Judgements are weighted: turning in the open counts 0.05 times. All others count in full.'
    """
    graded = {name: weight for name, weight in blame.items() if weight != 1}
    if not graded:
        return "Every judgement counts in full."
    named = [(_named(name, groups), weight) for name, weight in graded.items()]
    parts = [
        *(f"{name} counts {plain(weight)} times" for name, weight in named if weight >= FELT),
        *_turned_round([(name, weight) for name, weight in named if weight <= -FELT]),
        *(f"{name} changes next to nothing" for name, weight in named if 0 < abs(weight) < FELT),
        *(f"{name} changes nothing" for name, weight in named if weight == 0),
    ]
    others = "" if set(groups) and set(groups) <= set(graded) else " All others count in full."
    return f"Judgements are weighted: {'; '.join(parts)}.{others}"


def _turned_round(graded: list[tuple[str, float]]) -> list[str]:
    """What a negative weight means is said once."""
    parts = [f"{name} counts {plain(-weight)} times with the opposite sign" for name, weight in graded]
    return [*parts[:-1], f"{parts[-1]} (what the rule strengthens is weakened, and vice versa)"] if parts else []


def eligibility_in_words(eligibility: float | Mapping[str, float], groups: Mapping[str, str]) -> str:
    """How much the step before takes part in a change: always, or only after the judgements of some groups.

    >>> eligibility_in_words({"missed": 0.5}, {"missed": "a wanted item in view that was not taken"})
    'After some judgements the previous step counts as well: 0.5 times after a wanted item in view that was not taken.'
    """
    by_group = dict(eligibility) if isinstance(eligibility, Mapping) else {}
    felt = {name: factor for name, factor in by_group.items() if abs(factor) >= FELT}
    after = [f"{plain(factor)} times after {_named(name, groups)}" for name, factor in felt.items()]
    if after:
        return f"After some judgements the previous step counts as well: {'; '.join(after)}."
    if isinstance(eligibility, Mapping) or not eligibility:
        return "Only the current step counts."
    return f"The previous step always counts as well, {plain(eligibility)} times as much as the current one."


def _named(name: str, groups: Mapping[str, str]) -> str:
    return groups.get(name, f"association {name}" if name.isdigit() else name)
