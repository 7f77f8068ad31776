"""A rule for each layer, the output's last: `00+-/0000@0.005,00+-/0000@0.08`; `frozen,00+-/0000@0.06`.

`read_rule` reads any rule, plain or layered; every verb uses it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hebbarium.rules.notation import check_one_eta
from hebbarium.rules.rule import FROZEN_LAYER, AnyRule, Rule
from hebbarium.rules.shape import LAYERS
from hebbarium.tools.errors import BadInput, nearest_word, shown

RuleLike: TypeAlias = str | int | Sequence[float] | AnyRule
"""Whatever a rule can be given as."""

_EXAMPLE = "such as 00+-/0000@0.005,00+-/0000@0.08 or frozen,00+-/0000@0.06"


@dataclass(frozen=True, eq=False, repr=False)
class LayeredRule(AnyRule):
    """One rule for each layer, or None where it is frozen: those of the hidden layers, then the output layer's.

    >>> LayeredRule("frozen", "00+-/0000@0.06").layers
    (Rule('0000/0000', eta=0.0), Rule('00+-/0000', eta=0.06))

    Equal layers are written out, but live like the plain rule.
    """

    parts: tuple[Rule | None, ...] = ()

    is_layered = True

    def __init__(self, *layers: RuleLike | None) -> None:
        """layers: hidden and output, or more; None or `frozen` freezes one."""
        parts = tuple(None if _is_frozen(layer) else Rule(layer) for layer in layers)  # type: ignore[arg-type]
        if len(parts) < LAYERS or not any(parts):
            raise BadInput(f"a layered rule has a rule for each of two or more layers, not all frozen, {_EXAMPLE}.")
        object.__setattr__(self, "parts", parts)

    @property
    def eta(self) -> list[float | None]:
        """Of each layer; None where it is frozen or has none."""
        return [None if part is None else part.eta for part in self.parts]

    def with_eta(self, eta: float | None) -> LayeredRule:
        return LayeredRule(*(part and part.with_eta(eta) for part in self.parts))

    def neighbours(self) -> list[LayeredRule]:
        """The rules that differ in exactly one entry, at the same etas: those of the first layer first."""
        return [
            LayeredRule(*self.parts[:place], other, *self.parts[place + 1 :])
            for place, part in enumerate(self.parts)
            if part is not None
            for other in part.neighbours()
        ]

    def __repr__(self) -> str:
        return f"LayeredRule({', '.join(map(repr, self.text.split(',')))})"


def read_rule(rule: RuleLike, eta: float | None = None) -> AnyRule:
    """Any rule: layers with a comma between, or whatever `Rule` takes.

    eta: for a rule without one (for each layer that learns), or in place of a name's; refused beside an `@`.

    >>> read_rule("frozen,000-/0000", eta=0.03)
    LayeredRule('frozen', '000-/0000@0.03')
    """
    check_one_eta(rule, eta)
    if isinstance(rule, str) and ("," in rule or _is_frozen(rule)):
        rule = _read_layers(rule)
    if isinstance(rule, LayeredRule):
        return rule if eta is None else rule.with_eta(eta)
    return Rule(rule, eta)


def rule_of(notation: str, eta: float | Sequence[float | None] | None) -> AnyRule:
    """The rule whose `notation` and `eta` these are, as JSON holds them.

    >>> rule_of("frozen,000-/0000", [None, 0.03])
    LayeredRule('frozen', '000-/0000@0.03')
    """
    rule = read_rule(notation)
    if isinstance(rule, LayeredRule) and isinstance(eta, Sequence):
        return LayeredRule(*(part and part.with_eta(own) for part, own in zip(rule.parts, eta, strict=True)))
    return read_rule(rule, eta)  # type: ignore[arg-type]


def _read_layers(text: str) -> LayeredRule:
    layers = [layer.strip() for layer in text.split(",")]
    if re.fullmatch(r"[^,]*@\d+,\d+", text):
        raise BadInput(f"rule {shown(text)} has a comma in its eta; did you mean {text.replace(',', '.')}?")
    if len(layers) < LAYERS or "" in layers:
        given = sum(layer != "" for layer in layers)
        raise BadInput(f"rule {shown(text)} has {given} of two or more layers; write them all, {_EXAMPLE}.")
    for layer in layers:
        if layer.isalpha() and not _is_frozen(layer) and nearest_word(layer, [FROZEN_LAYER]):
            raise BadInput(f"layer {shown(layer)} of rule {shown(text)} is not a rule; did you mean {FROZEN_LAYER!r}?")
        if not _is_frozen(layer) and _is_frozen(layer.partition("@")[0]):
            raise BadInput(f"rule {shown(text)} has an eta for a frozen layer, which never changes: leave it out.")
    if all(map(_is_frozen, layers)):
        raise BadInput(f"rule {shown(text)} freezes every layer; the rule that changes nothing is 0000/0000.")
    return LayeredRule(*layers)


def _is_frozen(layer: object) -> bool:
    return layer is None or (isinstance(layer, str) and layer.strip().lower() == FROZEN_LAYER)
