"""Where a found rule stands among all rules, as far as the atlas at hand knows."""

from __future__ import annotations

from typing import Any

from hebbarium.brains.sizes import Hidden
from hebbarium.rules.layered import read_rule
from hebbarium.rules.rule import Rule
from hebbarium.studies.atlas.lookup import at_hand
from hebbarium.worlds.base import World

NEAR = 1.6
"""Etas within this factor of each other are taken for the same: the steps of an atlas's survey."""


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
