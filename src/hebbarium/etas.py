"""The learning rates that are known of a rule, for those who gave none."""

from __future__ import annotations

from hebbarium.errors import BadInput
from hebbarium.rule import PAPER_RULES, Rule


def known_etas(rule: Rule, task: str) -> dict[str, float]:
    """What the paper and the atlas that comes with the package know, by who knows it.

    >>> known_etas(Rule("00+-/0000"), "foraging")["foraging:1 has"]
    0.0375
    """
    from hebbarium.atlas.table import shipped

    known = {f"{name} has": PAPER_RULES[name][1] for name in rule.paper if name.startswith(f"{task}:")}
    atlas = shipped(task)
    return known if atlas is None else known | {"the best in the atlas is": float(atlas.eta[rule.index])}


def missing_eta(rule: Rule, task: str) -> BadInput:
    """What to raise for a rule without one."""
    known = "; ".join(f"{who} {eta:.4g}" for who, eta in known_etas(rule, task).items())
    needed = f"rule {rule} needs an eta to live by, a number from 0 up to, but not including, 1"
    return BadInput(f"{needed}: {known}." if known else f"{needed}, such as --eta 0.04.")
