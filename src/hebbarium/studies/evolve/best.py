"""The best instance of a distinct rule whose blame, eligibility or trace are genes, and how to live by it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hebbarium.experiment import check_weights, weights_in_words
from hebbarium.rules.graded import KINDS, TRACE, GradedRule, ungraded, weights_of
from hebbarium.rules.layered import read_rule
from hebbarium.studies.evolve.one_search import Instance
from hebbarium.tools.errors import RunError
from hebbarium.tools.fields import as_typed

if TYPE_CHECKING:
    from hebbarium.studies.evolve.study import Evolution


def best_of(group: Sequence[Instance]) -> dict[str, Any]:
    """Its rule with its etas, what it has of its own, and its fitness, by which it is the best."""
    best = max(group, key=lambda instance: instance.fitness)
    rule = best.individual.rule
    own: dict[str, Any] = {kind: dict(weights_of(rule, kind)) for kind in KINDS}
    if isinstance(rule, GradedRule) and rule.trace is not None:
        own[TRACE] = rule.trace
    return {"rule": ungraded(rule).text, **own, "fitness": best.fitness}


def with_life(evolution: Evolution, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The distinct rules, each with what its best instance lives with, in words and as a command."""
    try:
        return [{**row, "best": _life(evolution, row["best"])} for row in rows]
    except (LookupError, TypeError, ValueError):
        raise RunError("the table of rules is not one that this run could have.") from None


def _life(evolution: Evolution, best: dict[str, Any]) -> dict[str, Any]:
    """Its etas as of any rule in JSON; words and command with the weights that all rules have, too."""
    world = evolution.world
    whole = {kind: check_weights(kind, {**getattr(evolution, kind), **best[kind]}, world) for kind in KINDS}
    return {
        **best,
        "eta": read_rule(best["rule"]).eta,
        "words": list(weights_in_words(world, **whole)),
        "live": command(evolution, best["rule"], {**whole, TRACE: best.get(TRACE)}),
    }


def command(evolution: Evolution, rule: str, own: dict[str, Any]) -> str:
    """What to type to live by a rule as in the search. own: its blame, eligibility and trace, where it has any"""
    world = evolution.world
    changed = {name: some for name, some in own.items() if some}
    if evolution.hidden != world.default_hidden:
        changed["hidden"] = evolution.hidden
    changed |= evolution.brain.changed_settings(world) | world.changed_settings()
    words = [f"hebbarium live {world.typed} --rule={rule}"]
    return " ".join([*words, *(as_typed(name, value) for name, value in changed.items())])
