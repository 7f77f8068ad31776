"""The best of what was found: the best instance of a rule with own genes, how to live by a rule, and its place in the
atlas at hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hebbarium.brains.sizes import Hidden
from hebbarium.experiment import check_weights, weights_in_words
from hebbarium.rules.graded import KINDS, TRACE, GradedRule, ungraded, weights_of
from hebbarium.rules.layered import read_rule
from hebbarium.rules.rule import Rule
from hebbarium.studies.atlas.lookup import at_hand
from hebbarium.studies.evolve.one_search import Instance
from hebbarium.tools.errors import RunError
from hebbarium.tools.fields import as_typed
from hebbarium.worlds.base import World

if TYPE_CHECKING:
    from hebbarium.studies.evolve.study import Evolution

NEAR = 1.6
"""Etas within this factor of each other are taken for the same: the steps of an atlas's survey."""


def best_of(group: Sequence[Instance]) -> dict[str, Any]:
    """The instance with the best fitness: its rule and etas, its own blame, eligibility and trace, and that fitness."""
    best = max(group, key=lambda instance: instance.fitness)
    rule = best.individual.rule
    own: dict[str, Any] = {kind: dict(weights_of(rule, kind)) for kind in KINDS}
    if isinstance(rule, GradedRule) and rule.trace is not None:
        own[TRACE] = rule.trace
    return {"rule": ungraded(rule).text, **own, "fitness": best.fitness}


def with_life(evolution: Evolution, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The distinct rules; each says how its best instance lives: its etas, and its blame and eligibility with those of
    all rules, in words and as a command."""
    world, found = evolution.world, []
    try:
        for row in rows:
            best = row["best"]
            whole = {kind: check_weights(kind, {**getattr(evolution, kind), **best[kind]}, world) for kind in KINDS}
            life = {
                "eta": read_rule(best["rule"]).eta,
                "words": list(weights_in_words(world, **whole)),
                "live": live_command(evolution, best["rule"], {**whole, TRACE: best.get(TRACE)}),
            }
            found.append({**row, "best": {**best, **life}})
    except (LookupError, TypeError, ValueError):
        raise RunError("the table of rules is not one that this run could have.") from None
    return found


def live_command(evolution: Evolution, rule: str, own: dict[str, Any]) -> str:
    """What to type to live by a rule as in the search. own: its blame, eligibility and trace, where it has any"""
    world = evolution.world
    changed = {name: some for name, some in own.items() if some}
    if evolution.hidden != world.default_hidden:
        changed["hidden"] = evolution.hidden
    changed |= evolution.brain.changed_settings(world) | world.changed_settings()
    words = [f"hebbarium live {world.typed} --rule={rule}"]
    return " ".join([*words, *(as_typed(name, value) for name, value in changed.items())])


def placed(rule: str, eta: float, world: World, hidden: Hidden) -> dict[str, Any] | None:
    """The rule's row in the atlas and the best one's; None where there is no atlas of just this world and brain, or
    where it knows the rule only at another eta: a rank is that of a rule at its eta."""
    found, read = at_hand(world), read_rule(rule)
    if found is None or not found.fits(world) or hidden != found.atlas.about["hidden"]:
        return None
    if not isinstance(read, Rule) or read.index is None:
        return None
    atlas = found.atlas
    row, best = atlas.row(read.index), atlas.row(int(atlas.order[0]))
    return {"rules": len(atlas), "found": row, "best": best} if eta / NEAR <= row["eta"] <= eta * NEAR else None


def placed_words(known: dict[str, Any]) -> str:
    """One sentence for a person.

    >>> best = {"rule": "00+-/0000", "rank": 1, "rank_interval": [1, 1], "fitness": 48.0, "eta": 0.0343}
    >>> other = {"rule": "-++-/0000", "rank": 5, "rank_interval": [3, 5], "fitness": 43.0, "eta": 0.0174}
    >>> placed_words({"rules": 6561, "found": best, "best": best})
    '00+-/0000 is rank 1 of 6,561 in the atlas: no better rule is known.'
    >>> placed_words({"rules": 6561, "found": other, "best": best})
    '-++-/0000 is rank 5 (3 to 5) of 6,561 in the atlas; the best known is 48.0 by 00+-/0000 at eta 0.0343.'
    """
    found, best = known["found"], known["best"]
    first, last = found["rank_interval"]
    interval = "" if first == last else f" ({first} to {last})"
    place = f"{found['rule']} is rank {found['rank']:,}{interval} of {known['rules']:,} in the atlas"
    if found["rule"] == best["rule"]:
        return f"{place}: no better rule is known."
    return f"{place}; the best known is {best['fitness']:z.1f} by {best['rule']} at eta {best['eta']:.3g}."
