"""The best rules that an evolution found: a row for each set of entries, how to live by one, its place in an atlas."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hebbarium.brains.sizes import Hidden
from hebbarium.experiment import check_weights, weights_in_words
from hebbarium.rules.graded import KINDS, TRACE, GradedRule, ungraded, weights_of
from hebbarium.rules.layered import read_rule, rule_of
from hebbarium.rules.rule import AnyRule, Rule
from hebbarium.rules.shape import layer_names
from hebbarium.rules.words import family, in_words
from hebbarium.studies.atlas.finished_atlas import at_hand
from hebbarium.studies.evolve.one_search import Instance
from hebbarium.tools.errors import RunError
from hebbarium.tools.fields import as_typed
from hebbarium.tools.statistics import sem
from hebbarium.worlds.base import World

if TYPE_CHECKING:
    from hebbarium.studies.evolve.study import Evolution

# The distinct rules: the best of every run's last population pooled, one row for each set of entries.
# The paper's columns (its tables of distinct evolved rules): how many instances of the rule there are, the median,
# std, max and min of their fitness, and the mean and std of their etas. An instance's fitness is its score on fresh
# lifetimes, because the score that made it a winner was partly luck; that one is shown beside it. Of layered rules
# `entries` and `eta_mean` are the output layer's, and those of hidden layers stand in columns of their own. Where
# blame, eligibility or trace are genes, each row has those of its best instance, too.

COLUMNS = ("count", "median", "std", "max", "min", "eta_mean", "eta_std")


def distinct_rules(instances: Sequence[Instance]) -> list[dict[str, Any]]:
    """One row for each distinct rule, ranked by median; equal medians by index."""
    groups: dict[AnyRule, list[Instance]] = {}
    for instance in instances:
        groups.setdefault(ungraded(instance.individual.rule).with_eta(None), []).append(instance)
    rows = []
    for rule, group in groups.items():
        fitness = [instance.fitness for instance in group]
        searched = [instance.individual.fitness for instance in group]
        etas = [_eta(instance, -1) for instance in group]
        fresh = None  # over all fresh lifetimes of all instances
        scores = np.array([score for instance in group if instance.record for score in instance.record.scores])
        if scores.size:
            fresh = {"mean": float(scores.mean()), "sem": sem(scores), "lifetimes": int(scores.size)}
        hidden: dict[str, Any] = {}  # of layered rules the hidden layers' entries and etas; None where they are frozen
        for place, (name, part) in enumerate(zip(layer_names(len(rule.parts))[:-1], rule.parts, strict=False)):
            own = [_eta(instance, place) for instance in group]
            hidden[f"{name}_entries"] = part and list(part.entries)
            hidden[f"eta_{name}_mean"] = part and statistics.fmean(own)
            hidden[f"eta_{name}_std"] = part and _std(own)
        row = {
            "rule": rule.notation,
            "index": rule.index,
            "entries": list(rule.layers[-1].entries),
            "paper": list(rule.paper),
            "count": len(group),
            "runs": len({instance.run for instance in group}),
            "median": statistics.median(fitness),
            "std": _std(fitness),
            "max": max(fitness),
            "min": min(fitness),
            "eta_mean": statistics.fmean(etas),
            "eta_std": _std(etas),
            "searched": {"median": statistics.median(searched), "max": max(searched)},
            "fitness": fresh,
            "family": family(rule),
            "words": in_words(rule),
            **hidden,
            **({"best": best_of(group)} if isinstance(group[0].individual.rule, GradedRule) else {}),
        }
        rows.append((rule, row))
    rows.sort(key=lambda pair: (-pair[1]["median"], pair[0]))
    return [{"rank": rank, **row} for rank, (_, row) in enumerate(rows, 1)]


def best_rules(instances: Sequence[Sequence[Instance]]) -> list[str]:
    """The notation of each run's best, by the search's own judgement."""
    return [some[0].individual.rule.notation for some in instances]


def rule_of_row(row: dict[str, Any]) -> AnyRule:
    """A rule of the table, at the mean etas of its instances, in four digits."""
    means = [row[name] for name in _eta_names(row, "mean")]
    etas = [None if eta is None else float(f"{eta:.4g}") for eta in means]
    return rule_of(row["rule"], etas if len(etas) > 1 else etas[0])


def eta_of_row(row: dict[str, Any], name: str = "mean") -> str:
    """For people: `0.0375`, or that of each layer that learns."""
    etas = [row[column] for column in _eta_names(row, name)]
    return ", ".join(f"{eta:.4f}" for eta in etas if eta is not None)


def _eta_names(row: dict[str, Any], name: str) -> list[str]:
    """The columns of each layer's eta, the output's last."""
    hidden = layer_names(row["rule"].count(",") + 1)[:-1]
    return [*(f"eta_{layer}_{name}" for layer in hidden), f"eta_{name}"]


def _std(values: Sequence[float]) -> float:
    """With n - 1; 0 for one value, as the paper prints it."""
    return statistics.stdev(values) if len(values) > 1 else 0.0


def _eta(instance: Instance, layer: int) -> float:
    eta = instance.individual.rule.layers[layer].eta
    assert eta is not None
    return eta


# The best of what was found: the best instance of a rule with own genes, how to live by a rule, and its place in the
# atlas at hand.

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
