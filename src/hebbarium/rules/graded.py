"""A rule with blame and eligibility of its own, as a search over such genes proposes it.

Written with them behind the rule: `00+-/0000@0.04;blame:open-turn=0.05,taken=0;eligibility:missed=0.5`.
`read_graded` reads whatever a run or a search stores, with or without them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hebbarium.rules.layered import read_rule, rule_of
from hebbarium.rules.rule import AnyRule, Rule
from hebbarium.tools.errors import BadInput, check_number, plain, shown

KINDS = ("blame", "eligibility")
"""What a rule may have of its own, by group of judgements or by the id of an association."""
MARKS = ",;:="
"""What keeps names and weights apart, so that no name can have it."""
_STRONGEST = 1000.0


@dataclass(frozen=True, eq=False, repr=False)
class GradedRule(AnyRule):
    """A plain or layered rule, and how its own lives weigh judgements.

    >>> GradedRule(Rule("000-/0000@0.04"), {"missed": 2}).text
    '000-/0000@0.04;blame:missed=2'
    """

    rule: AnyRule
    blame: Mapping[str, float]
    eligibility: Mapping[str, float]
    is_layered: bool

    def __init__(
        self, rule: AnyRule, blame: Mapping[str, float] | None = None, eligibility: Mapping[str, float] | None = None
    ) -> None:
        object.__setattr__(self, "rule", ungraded(rule))
        object.__setattr__(self, "is_layered", rule.is_layered)
        for kind, weights in zip(KINDS, (blame, eligibility), strict=True):
            object.__setattr__(self, kind, dict(weights or {}))

    @property
    def parts(self) -> tuple[Rule | None, ...]:
        return self.rule.parts

    @property
    def eta(self) -> Any:
        return self.rule.eta

    @property
    def text(self) -> str:
        return ";".join([self.rule.text, *self._weights()])

    @property
    def short_text(self) -> str:
        return ";".join([self.rule.short_text, *self._weights()])

    @property
    def index(self) -> int | None:
        return self.rule.index

    def with_eta(self, eta: float | None) -> GradedRule:
        return self._of(self.rule.with_eta(eta))

    def neighbours(self) -> Sequence[AnyRule]:
        return [self._of(other) for other in self.rule.neighbours()]

    def _of(self, rule: AnyRule) -> GradedRule:
        return GradedRule(rule, self.blame, self.eligibility)

    def _weights(self) -> list[str]:
        named = ((kind, getattr(self, kind)) for kind in KINDS)
        return [f"{kind}:{weights_text(weights)}" for kind, weights in named if weights]

    def _key(self) -> tuple[Any, ...]:
        weights = (self.blame, self.eligibility)
        return *self.rule._key(), *(part for some in weights for pair in (*some.items(), ("", 0.0)) for part in pair)

    def __repr__(self) -> str:
        return f"GradedRule({self.rule!r}, blame={self.blame!r}, eligibility={self.eligibility!r})"


def ungraded(rule: AnyRule) -> AnyRule:
    """The same rule without blame and eligibility of its own."""
    return rule.rule if isinstance(rule, GradedRule) else rule


def weights_of(rule: AnyRule | None, kind: str) -> Mapping[str, float]:
    """The blame or the eligibility that a rule has of its own; most rules have none."""
    found: Mapping[str, float] = getattr(rule, kind) if isinstance(rule, GradedRule) else {}
    return found


def weights_text(weights: Mapping[str, float]) -> str:
    """As it is typed, exactly.

    >>> weights_text({"open-turn": 0.05, "wall-turn": -0.06})
    'open-turn=0.05,wall-turn=-0.06'
    """
    return ",".join(f"{name}={plain(weight)}" for name, weight in weights.items())


def read_graded(text: str, eta: float | Sequence[float | None] | None = None) -> AnyRule:
    """Any rule as it is stored: its text, or its notation and its eta or etas beside it.

    >>> read_graded("frozen,000-/0000@0.03;eligibility:missed=0.5").text
    'frozen,000-/0000@0.03;eligibility:missed=0.5'
    """
    first, *more = text.split(";")
    rule = rule_of(first, eta) if isinstance(eta, Sequence) else read_rule(first, eta)
    if not more:
        return rule
    weights = dict(_read_weights(part, text) for part in more)
    if len(weights) != len(more) or not set(weights) <= set(KINDS):
        raise BadInput(f"rule {shown(text)} has weights that are neither its blame nor its eligibility.")
    return GradedRule(rule, **weights)


def _read_weights(part: str, text: str) -> tuple[str, dict[str, float]]:
    kind, _, pairs = part.partition(":")
    return kind, dict(_read_pair(pair, text) for pair in pairs.split(","))


def _read_pair(pair: str, text: str) -> tuple[str, float]:
    name, _, number = pair.partition("=")
    try:
        return name, check_number(f"weight of {name}", float(number), -_STRONGEST, _STRONGEST)
    except ValueError:
        raise BadInput(f"rule {shown(text)} has {shown(pair)}, but must have a name and a number there.") from None
