"""A rule with blame, eligibility or a trace of its own, as a search over such genes proposes it.

Written with them behind the rule: `00+-/0000@0.04;blame:open-turn=0.05,taken=0;eligibility:missed=0.5`, or
`00+-/0000@0.04;trace:0.8`.
`read_graded` reads whatever a run or a search stores, with or without them.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hebbarium.rules.layered import read_rule, rule_of
from hebbarium.rules.rule import AnyRule, Rule
from hebbarium.tools.errors import BadInput, check_number, plain, shown

KINDS = ("blame", "eligibility")
"""What a rule may have of its own, by group of judgements or by the id of an association."""
TRACE = "trace"
"""Which a rule may have of its own, too."""
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
    trace: float | None
    is_layered: bool

    def __init__(
        self,
        rule: AnyRule,
        blame: Mapping[str, float] | None = None,
        eligibility: Mapping[str, float] | None = None,
        trace: float | None = None,
    ) -> None:
        object.__setattr__(self, "trace", trace)
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
        return GradedRule(rule, self.blame, self.eligibility, self.trace)

    def _weights(self) -> list[str]:
        named = ((kind, getattr(self, kind)) for kind in KINDS)
        trace = [] if self.trace is None else [f"{TRACE}:{plain(self.trace)}"]
        return [*(f"{kind}:{weights_text(weights)}" for kind, weights in named if weights), *trace]

    @functools.cached_property
    def _key(self) -> tuple[Any, ...]:
        weights = (self.blame, self.eligibility)
        pairs = (part for some in weights for pair in (*some.items(), ("", 0.0)) for part in pair)
        return *self.rule._key, *pairs, -1.0 if self.trace is None else self.trace

    def __repr__(self) -> str:
        own = f"blame={self.blame!r}, eligibility={self.eligibility!r}, trace={self.trace!r}"
        return f"GradedRule({self.rule!r}, {own})"


def ungraded(rule: AnyRule) -> AnyRule:
    """The same rule without anything of its own."""
    return rule.rule if isinstance(rule, GradedRule) else rule


def weights_of(rule: AnyRule | None, kind: str) -> Mapping[str, float]:
    """The blame or the eligibility that a rule has of its own; most rules have none."""
    found: Mapping[str, float] = getattr(rule, kind) if isinstance(rule, GradedRule) else {}
    return found


def trace_of(rule: AnyRule | None) -> float:
    """The trace that a rule has of its own; 0 for none."""
    return (rule.trace or 0.0) if isinstance(rule, GradedRule) else 0.0


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
    own = dict(_read_own(part, text) for part in more)
    if len(own) != len(more) or not set(own) <= {*KINDS, TRACE}:
        raise BadInput(f"rule {shown(text)} has something of its own that is not its blame, eligibility or trace.")
    return GradedRule(rule, **own)


def _read_own(part: str, text: str) -> tuple[str, Any]:
    kind, _, values = part.partition(":")
    if kind == TRACE:
        return kind, check_number(TRACE, _read_pair(f"{TRACE}={values}", text)[1], 0, 1, below=True)
    return kind, dict(_read_pair(pair, text) for pair in values.split(","))


def _read_pair(pair: str, text: str) -> tuple[str, float]:
    name, _, number = pair.partition("=")
    try:
        return name, check_number(f"weight of {name}", float(number), -_STRONGEST, _STRONGEST)
    except ValueError:
        raise BadInput(f"rule {shown(text)} has {shown(pair)}, but must have a name and a number there.") from None
