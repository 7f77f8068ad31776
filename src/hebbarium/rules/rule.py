"""The plasticity rule: eight ternary entries and a learning rate.

An entry says what a synapse does (-1 decrease, 0 keep, +1 increase) in one of eight situations, in the
paper's column order: punished (m=-1) 00 01 10 11, then rewarded (m=+1) 00 01 10 11. The two bits say
whether the pre-synaptic and the post-synaptic neuron were active, in that order.
How it is written is in `notation.py`; a rule for each layer in `layered.py`.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hebbarium.rules.notation import (
    ENTRIES,
    EXAMPLE,
    PAPER_RULES,
    RULES,
    SYMBOLS,
    check_entries,
    check_eta,
    check_one_eta,
    entries_of_index,
    read_text,
    symbols_of,
)
from hebbarium.tools.errors import BadInput, shown

__all__ = ["ENTRIES", "PAPER_RULES", "RULES", "SITUATIONS", "SYMBOLS", "AnyRule", "Rule"]

SITUATIONS = tuple((m, pre, post) for m in (-1, +1) for pre in (0, 1) for post in (0, 1))
"""(reinforcement, pre active, post active) of each entry, in the order of the entries."""
FROZEN_LAYER = "frozen"
"""How a layer that never changes is written."""


@functools.total_ordering
class AnyRule(ABC):
    """What a plain rule and a layered one have in common.

    Rules are equal when entries and etas are; they are ordered by index, then by eta, plain ones before layered ones.
    """

    is_layered = False

    @property
    @abstractmethod
    def parts(self) -> tuple[Rule | None, ...]:
        """As they are written: the one rule of both layers, or hidden and output; None for a frozen layer."""

    @property
    @abstractmethod
    def eta(self) -> Any:
        """For JSON: a number, or a list of two for a layered rule; None where there is none or the layer is frozen."""

    @abstractmethod
    def with_eta(self, eta: float | None) -> AnyRule:
        """The same eta in each layer that learns; None takes the etas away."""

    @abstractmethod
    def neighbours(self) -> Sequence[AnyRule]:
        """The rules that differ in exactly one entry of one layer, at the same etas."""

    @property
    def layers(self) -> tuple[Rule, Rule]:
        """What the hidden and the output layer live by; a frozen one by the rule that changes nothing, at eta 0."""
        hidden, output = (self.parts[place] or Rule((0,) * ENTRIES, 0.0) for place in (0, -1))
        return hidden, output

    @property
    def frozen_hidden(self) -> bool:
        """Whether the hidden layer stays as it was born."""
        return self.parts[0] is None

    @property
    def learning(self) -> tuple[Rule, ...]:
        """The parts that are not frozen."""
        return tuple(part for part in self.parts if part is not None)

    @property
    def notation(self) -> str:
        """Without etas: `00+-/0000`, `00+-/0000,000-/0000` or `frozen,00+-/0000`."""
        return ",".join(FROZEN_LAYER if part is None else symbols_of(part.entries) for part in self.parts)

    @property
    def text(self) -> str:
        """With etas, which read back exactly: `00+-/0000@0.0375`, `frozen,00+-/0000@0.06`."""
        return ",".join(FROZEN_LAYER if part is None else _with_at(part, repr) for part in self.parts)

    @property
    def short_text(self) -> str:
        """The same with etas in six digits, for people."""
        return ",".join(FROZEN_LAYER if part is None else _with_at(part, "{:g}".format) for part in self.parts)

    @property
    def eta_text(self) -> str:
        """For people: `0.0375`, or `0.005 and 0.08`; of a frozen layer there is none to show."""
        return " and ".join("?" if part.eta is None else f"{part.eta:g}" for part in self.learning)

    @property
    def needs_eta(self) -> bool:
        """Whether a layer that learns has no eta."""
        return any(part.eta is None for part in self.learning)

    @property
    def index(self) -> int | None:
        """0 to 6560 for plain rules; layered ones have none."""
        return None

    @property
    def paper(self) -> tuple[str, ...]:
        """The paper's names of these entries, whatever the eta; most rules have none."""
        return tuple(name for name, (notation, _) in PAPER_RULES.items() if notation == self.notation)

    def _key(self) -> tuple[float, ...]:
        return len(self.parts), *(number for part in self.parts for number in _part_key(part))

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, AnyRule) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._key() < other._key() if isinstance(other, AnyRule) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        return self.notation

    def frame(self) -> Any:
        """A row for each entry of each layer that learns; polars or pandas, whichever is installed."""
        from hebbarium.tools.frames import data_frame

        names = ("",) if len(self.parts) == 1 else ("hidden", "output")
        layers = [(name, part) for name, part in zip(names, self.parts, strict=True) if part is not None]
        return data_frame({
            **({"layer": [name for name, _ in layers for _ in SITUATIONS]} if self.is_layered else {}),
            "signal": ["punished" if signal < 0 else "rewarded" for signal, _, _ in SITUATIONS] * len(layers),
            "pre": [pre for _, pre, _ in SITUATIONS] * len(layers),
            "post": [post for _, _, post in SITUATIONS] * len(layers),
            "change": [entry for _, part in layers for entry in part.entries],
            "eta": [part.eta for _, part in layers for _ in SITUATIONS],
        })  # fmt: skip

    def _repr_html_(self) -> str:
        """What Jupyter shows."""
        from hebbarium.show.pages.rules import notebook_rule

        return notebook_rule(self)


@dataclass(frozen=True, eq=False, repr=False)
class Rule(AnyRule):
    """A plasticity rule, the same in both layers.

    >>> Rule("00+-/0000", eta=0.04)
    Rule('00+-/0000', eta=0.04)
    >>> Rule("foraging:1").eta, Rule("foraging:1@0.02").eta
    (0.0375, 0.02)
    >>> Rule("3442") == Rule("00+-/0000") and Rule("00+-/0000").paper
    ('foraging:1',)
    """

    entries: tuple[int, ...]
    """Eight of -1, 0, +1, in the order of SITUATIONS."""

    eta: float | None = None
    """The learning rate in [0, 1); None where only the entries matter."""

    def __init__(self, rule: str | int | Sequence[int] | AnyRule, eta: float | None = None) -> None:
        """`rule`: a notation, an index, one of the paper's names, each with an `@ETA`; eight entries; or another rule.

        eta: for a rule without one, or in place of a name's.
        """
        check_one_eta(rule, eta)
        entries, own_eta = _read(rule)
        object.__setattr__(self, "entries", entries)
        object.__setattr__(self, "eta", own_eta if eta is None else check_eta(eta))

    @property
    def parts(self) -> tuple[Rule]:
        return (self,)

    @property
    def index(self) -> int:
        """0 to 6560: base 3, the first entry most significant, `-`=0, `0`=1, `+`=2."""
        return functools.reduce(lambda index, entry: 3 * index + entry + 1, self.entries, 0)

    @property
    def punished(self) -> tuple[int, ...]:
        """The half used when the agent was punished: 00 01 10 11."""
        return self.entries[:4]

    @property
    def rewarded(self) -> tuple[int, ...]:
        """The half used when the agent was rewarded: 00 01 10 11."""
        return self.entries[4:]

    def with_eta(self, eta: float | None) -> Rule:
        return Rule(self.entries, eta)

    def neighbours(self) -> list[Rule]:
        """The 16 rules that differ in exactly one entry, at the same eta."""
        return [
            Rule((*self.entries[:place], entry, *self.entries[place + 1 :]), self.eta)
            for place in range(ENTRIES)
            for entry in (-1, 0, 1)
            if entry != self.entries[place]
        ]

    def __repr__(self) -> str:
        return f"Rule({self.notation!r})" if self.eta is None else f"Rule({self.notation!r}, eta={self.eta!r})"


def _read(rule: str | int | Sequence[int] | AnyRule) -> tuple[tuple[int, ...], float | None]:
    """Entries and, where the rule has one, eta."""
    if isinstance(rule, Rule):
        return rule.entries, rule.eta
    if isinstance(rule, AnyRule):
        raise BadInput(f"rule {shown(rule.text)} is layered, but one rule for both layers is needed here, {EXAMPLE}.")
    if isinstance(rule, str):
        return read_text(rule)
    if isinstance(rule, bool) or hasattr(rule, "__len__"):  # arrays have __index__, too
        return check_entries(rule), None
    if hasattr(rule, "__index__"):
        return entries_of_index(rule.__index__()), None
    return check_entries(rule), None


def _with_at(part: Rule, write: Callable[[float], str]) -> str:
    return symbols_of(part.entries) + ("" if part.eta is None else f"@{write(part.eta)}")


def _part_key(part: Rule | None) -> tuple[float, float]:
    if part is None:
        return -1, -1.0
    return part.index, -1.0 if part.eta is None else part.eta
