"""The learning rate a rule lives by: its own, the one given, or the best that is known of it."""

from __future__ import annotations

from dataclasses import dataclass

from hebbarium.rules.layered import RuleLike, read_rule
from hebbarium.rules.rule import AnyRule, Rule
from hebbarium.studies.atlas.finished_atlas import AtHand, at_hand
from hebbarium.tools.errors import BadInput
from hebbarium.worlds.base import World


@dataclass(frozen=True)
class Chosen:
    """A rule to live by, and where its eta comes from."""

    rule: AnyRule
    source: str | None
    """`given`, `paper` (a name's), `atlas` (the best known there), or None where no eta is needed."""
    remark: str | None = None
    """What to tell a user who gave no eta."""
    found: AtHand | None = None
    """The atlas that the eta comes from."""


def rule_to_live_by(
    task: World, rule: RuleLike | None, eta: float | None = None, *, own_first: bool = False, frozen: bool = False
) -> Chosen:
    """The rule with its eta: an `@`, `eta`, a name's or the best in the atlas at hand.

    own_first: `eta` is for rules without one, as where several rules share it; otherwise it also overrides a name's.
    frozen: no weight ever changes, so that neither a rule nor an eta is needed.
    """
    if rule is None and frozen:
        return Chosen(Rule("0000/0000", 0.0), None)
    if rule is None:
        raise BadInput("a rule is missing: give one such as foraging:1, 00+-/0000 or 00+-/0000@0.04.")
    whole = read_rule(rule)
    if eta is not None and not (own_first and not whole.needs_eta):
        return Chosen(read_rule(rule, eta), "given")
    if not whole.needs_eta:
        if not (isinstance(rule, str) and ":" in rule and "@" not in rule):
            return Chosen(whole, "given")
        known = at_hand(task) if own_first and isinstance(whole, Rule) else None
        if known is None or known.differs(task) or whole.eta == known.atlas.eta[whole.index]:
            return Chosen(whole, "paper")
        better = f"{whole.notation}@{float(known.atlas.eta[whole.index]):g}"
        remark = f"{whole.paper[0]} uses the paper's eta {whole.eta_text}; for the best eta known, write {better}."
        return Chosen(whole, "paper", remark)
    if frozen:
        return Chosen(whole, None)
    found = at_hand(task)
    if found is None or not isinstance(whole, Rule) or whole.index is None:
        raise missing_eta(whole, task.label)
    if not any(whole.entries):
        return Chosen(whole.with_eta(0.0), None)  # it changes nothing at any eta
    atlas = found.atlas
    best = whole.with_eta(float(atlas.eta[whole.index]))
    about = f"the best known for it on {task.label} with {atlas.about['hidden']} hidden neurons (from {found.where})"
    edge = f", the {atlas.edge(whole.index)} that was tried" if atlas.edge(whole.index) else ""
    remark = f"Rule {whole} was given without an eta; using {best.eta_text}, {about}{edge}."
    return Chosen(best, "atlas", remark, found)


def missing_eta(rule: AnyRule, task: str) -> BadInput:
    """What to raise where no eta is given or known."""
    if rule.is_layered:
        example = rule.with_eta(0.04).text
        return BadInput(f"rule {rule.text} needs an eta in each layer that learns, from 0 up to 1, such as {example}.")
    return BadInput(
        f"rule {rule} needs an eta, because there is no atlas of {task} to take the best one from; "
        f"write it after an @, such as {rule}@0.04."
    )
