"""A rule for each layer, hidden first: `00+-/0000@0.005,00+-/0000@0.08`; `frozen,00+-/0000@0.06`.

`read_rule` reads any rule, plain or layered; every verb uses it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hebbarium.rules.notation import check_one_eta
from hebbarium.rules.rule import FROZEN_LAYER, AnyRule, Rule
from hebbarium.tools.errors import BadInput, nearest_word, shown

RuleLike: TypeAlias = str | int | Sequence[int] | AnyRule
"""Whatever a rule can be given as."""

_EXAMPLE = "such as 00+-/0000@0.005,00+-/0000@0.08 or frozen,00+-/0000@0.06"


@dataclass(frozen=True, eq=False, repr=False)
class LayeredRule(AnyRule):
    """One rule for the hidden layer, or None where it is frozen, and one for the output layer.

    >>> LayeredRule("frozen", "00+-/0000@0.06").layers
    (Rule('0000/0000', eta=0.0), Rule('00+-/0000', eta=0.06))

    Two equal layers are written as two, but live like the plain rule.
    """

    hidden: Rule | None
    output: Rule

    is_layered = True

    def __init__(self, hidden: RuleLike | None, output: RuleLike) -> None:
        """hidden: None or `frozen` freezes it."""
        object.__setattr__(self, "hidden", None if _is_frozen(hidden) else Rule(hidden))  # type: ignore[arg-type]
        object.__setattr__(self, "output", Rule(output))

    @property
    def parts(self) -> tuple[Rule | None, Rule]:
        return self.hidden, self.output

    @property
    def eta(self) -> list[float | None]:
        """Hidden and output; None where the layer is frozen or has none."""
        return [None if part is None else part.eta for part in self.parts]

    def with_eta(self, eta: float | None) -> LayeredRule:
        return LayeredRule(self.hidden and self.hidden.with_eta(eta), self.output.with_eta(eta))

    def neighbours(self) -> list[LayeredRule]:
        """The rules that differ in exactly one entry, at the same etas: those of the hidden layer first."""
        hidden = [] if self.hidden is None else self.hidden.neighbours()
        return [
            *(LayeredRule(other, self.output) for other in hidden),
            *(LayeredRule(self.hidden, other) for other in self.output.neighbours()),
        ]

    def __repr__(self) -> str:
        hidden, output = self.text.split(",")
        return f"LayeredRule({hidden!r}, {output!r})"


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
        hidden, output = (part and part.with_eta(own) for part, own in zip(rule.parts, eta, strict=True))
        assert output is not None
        return LayeredRule(hidden, output)
    return read_rule(rule, eta)  # type: ignore[arg-type]


def _read_layers(text: str) -> LayeredRule:
    layers = [layer.strip() for layer in text.split(",")]
    if re.fullmatch(r"[^,]*@\d+,\d+", text):
        raise BadInput(f"rule {shown(text)} has a comma in its eta; did you mean {text.replace(',', '.')}?")
    if len(layers) != 2 or "" in layers:
        given = sum(layer != "" for layer in layers)
        raise BadInput(f"rule {shown(text)} has {given} of two layers; write hidden and output, {_EXAMPLE}.")
    for layer in layers:
        if layer.isalpha() and not _is_frozen(layer) and nearest_word(layer, [FROZEN_LAYER]):
            raise BadInput(f"layer {shown(layer)} of rule {shown(text)} is not a rule; did you mean {FROZEN_LAYER!r}?")
    hidden, output = layers
    if not _is_frozen(hidden) and _is_frozen(hidden.partition("@")[0]):
        raise BadInput(f"rule {shown(text)} has an eta for a frozen layer, which never changes: leave it out.")
    if _is_frozen(output.partition("@")[0]):
        raise BadInput(
            f"rule {shown(text)} freezes the output layer, but only the hidden one can be frozen, {_EXAMPLE}."
        )
    return LayeredRule(hidden, output)


def _is_frozen(layer: object) -> bool:
    return layer is None or (isinstance(layer, str) and layer.strip().lower() == FROZEN_LAYER)
