"""The plasticity rule: eight ternary entries and a learning rate.

An entry says what a synapse does (-1 decrease, 0 keep, +1 increase) in one of eight situations, in the
paper's column order: punished (m=-1) 00 01 10 11, then rewarded (m=+1) 00 01 10 11. The two bits say
whether the pre-synaptic and the post-synaptic neuron were active, in that order.
Entries may be real numbers, too, and four more may follow for neutral steps (m=0).
How it is written is in `notation.py`; a rule for each layer in `layered.py`.
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hebbarium.rules.notation import (
    EXAMPLE,
    PAPER_RULES,
    SYMBOLS,
    Entries,
    check_entries,
    check_eta,
    check_one_eta,
    entries_of_index,
    hebb_of_table,
    is_ternary,
    parts_of,
    read_text,
    symbols_of,
    table_of_hebb,
)
from hebbarium.rules.shape import (
    ENTRIES,
    LAYERS,
    PER_SIGNAL,
    RULES,
    SIGNALS,
    SITUATIONS,
    STATES,
    WIDE,
    layer_names,
    signals_of,
)
from hebbarium.tools.errors import BadInput, shown

__all__ = ["ENTRIES", "PAPER_RULES", "RULES", "SITUATIONS", "SYMBOLS", "AnyRule", "Rule"]

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
        """As they are written: one rule for all layers, or one for each, the output's last; None for a frozen one."""

    @property
    @abstractmethod
    def eta(self) -> Any:
        """For JSON: a number, or a list for a layered rule; None where there is none or the layer is frozen."""

    @abstractmethod
    def with_eta(self, eta: float | None) -> AnyRule:
        """The same eta in each layer that learns; None takes the etas away."""

    @abstractmethod
    def neighbours(self) -> Sequence[AnyRule]:
        """The rules that differ in exactly one entry of one layer, at the same etas."""

    @property
    def layers(self) -> tuple[Rule, ...]:
        """What each layer lives by, in the paper's network or in one of as many layers as the rule is written for."""
        return self.for_layers(len(self.parts) if self.is_layered else LAYERS)

    def for_layers(self, count: int) -> tuple[Rule, ...]:
        """What each of so many layers lives by; a frozen one by the rule that changes nothing, at eta 0."""
        if self.is_layered and len(self.parts) != count:
            raise BadInput(
                f"rule {shown(self.notation)} is for {len(self.parts)} layers, but the network has {count}; "
                "give one rule for each layer, the output last, or one for all."
            )
        parts = self.parts if self.is_layered else self.parts * count
        return tuple(part or Rule((0,) * ENTRIES, 0.0) for part in parts)

    @property
    def frozen_hidden(self) -> bool:
        """Whether all hidden layers stay as they were born."""
        return self.is_layered and not any(self.parts[:-1])

    @property
    def is_ternary(self) -> bool:
        """Whether all entries are -1, 0 or +1."""
        return all(is_ternary(part.entries) for part in self.learning)

    @property
    def is_wide(self) -> bool:
        """Whether neutral steps change weights, too."""
        return any(len(part.entries) > ENTRIES for part in self.learning)

    @property
    def learning(self) -> tuple[Rule, ...]:
        """The parts of the rule that are not frozen."""
        return tuple(part for part in self.parts if part is not None)

    @functools.cached_property
    def notation(self) -> str:
        """Without etas: `00+-/0000`, `00+-/0000,000-/0000` or `frozen,00+-/0000`."""
        return ",".join(FROZEN_LAYER if part is None else symbols_of(part.entries) for part in self.parts)

    @property
    def text(self) -> str:
        """With etas, which read back exactly: `00+-/0000@0.0375`, `frozen,00+-/0000@0.06`."""
        return ",".join(FROZEN_LAYER if part is None else _with_at(part, repr) for part in self.parts)

    @property
    def short_text(self) -> str:
        """The rule's text with etas in six digits, for people."""
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
        """0 to 6560 for the paper's rules; layered, real and neutral ones have none."""
        return None

    @property
    def paper(self) -> tuple[str, ...]:
        """The paper's names of these entries, whatever the eta; most rules have none."""
        return tuple(name for name, (notation, _) in PAPER_RULES.items() if notation == self.notation)

    @functools.cached_property
    def _key(self) -> tuple[float, ...]:
        """What rules are compared by; searches ask for it all the time."""
        return sum(map(_part_key, self.parts), (len(self.parts),))

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, AnyRule) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._key < other._key if isinstance(other, AnyRule) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    def __str__(self) -> str:
        return self.notation

    def frame(self) -> Any:
        """A row for each entry of each layer that learns; polars or pandas, whichever is installed."""
        from hebbarium.tools.data_frames import data_frame

        names = layer_names(len(self.parts)) if self.is_layered else ("",)
        rows = [
            (name, part.eta, signal, *state, entry)
            for name, part in zip(names, self.parts, strict=True)
            if part is not None
            for signal, entries in part.by_signal.items()
            for state, entry in zip(STATES, entries, strict=True)
        ]
        return data_frame({
            **({"layer": [row[0] for row in rows]} if self.is_layered else {}),
            "signal": [row[2] for row in rows],
            "pre": [row[3] for row in rows],
            "post": [row[4] for row in rows],
            "change": [row[5] for row in rows],
            "eta": [row[1] for row in rows],
        })  # fmt: skip

    def _repr_html_(self) -> str:
        """What Jupyter shows."""
        from hebbarium.show.pages.rules import notebook_rule

        return notebook_rule(self)


@dataclass(frozen=True, eq=False, repr=False)
class Rule(AnyRule):
    """A plasticity rule, the same in all layers.

    >>> Rule("00+-/0000", eta=0.04)
    Rule('00+-/0000', eta=0.04)
    >>> Rule("foraging:1").eta, Rule("foraging:1@0.02").eta
    (0.0375, 0.02)
    >>> Rule("3442") == Rule("00+-/0000") and Rule("00+-/0000").paper
    ('foraging:1',)
    """

    entries: Entries
    """Eight of -1, 0, +1, in the order of SITUATIONS, and four more for neutral steps where they change anything; or
    as many real numbers."""

    eta: float | None = None
    """The learning rate in [0, 1); None where only the entries matter."""

    def __init__(self, rule: str | int | Sequence[float] | AnyRule, eta: float | None = None) -> None:
        """`rule`: a notation, an index, one of the paper's names, each with an `@ETA`; the entries; or another rule.

        eta: for a rule without one, or in place of a name's.
        """
        check_one_eta(rule, eta)
        entries, own_eta = _read(rule)
        object.__setattr__(self, "entries", entries)
        object.__setattr__(self, "eta", own_eta if eta is None else check_eta(eta))

    @property
    def parts(self) -> tuple[Rule]:
        return (self,)

    @classmethod
    def of_hebb(
        cls,
        punished: Sequence[float] = (0, 0, 0, 0),
        rewarded: Sequence[float] = (0, 0, 0, 0),
        neutral: Sequence[float] = (0, 0, 0, 0),
        eta: float | None = None,
    ) -> Rule:
        """The rule of Hebb's general form eta (A pre post + B pre + C post + D): A, B, C and D for each signal.

        >>> Rule.of_hebb(punished=(-2, 1, 0, 0), eta=0.0375)
        Rule('00+-/0000', eta=0.0375)
        """
        given = dict(zip(SIGNALS, (punished, rewarded, neutral), strict=True))
        for signal, numbers in given.items():
            if len(numbers) != PER_SIGNAL:
                raise BadInput(f"{signal} is {shown(numbers)}, but must be four numbers: A, B, C and D.")
        return cls([entry for numbers in given.values() for entry in table_of_hebb(*numbers)], eta)

    @property
    def hebb(self) -> dict[str, Entries]:
        """A, B, C and D of Hebb's general form, by signal.

        >>> Rule("00+-/0000").hebb
        {'punished': (-2, 1, 0, 0), 'rewarded': (0, 0, 0, 0)}
        """
        return {signal: hebb_of_table(part) for signal, part in self.by_signal.items()}

    @property
    def index(self) -> Any:
        """0 to 6560: base 3, the first entry most significant, `-` 0, `0` 1, `+` 2. None for real and neutral rules."""
        if not self.is_ternary or self.is_wide:
            return None
        return functools.reduce(lambda index, entry: 3 * index + int(entry) + 1, self.entries, 0)

    @property
    def by_signal(self) -> dict[str, Entries]:
        """The entries 00 01 10 11 of each signal: punished, rewarded and, where they change anything, neutral."""
        return dict(zip(signals_of(len(self.entries)), parts_of(self.entries), strict=True))

    @property
    def punished(self) -> Entries:
        """The entries used when the agent was punished: 00 01 10 11."""
        return self.by_signal["punished"]

    @property
    def rewarded(self) -> Entries:
        """The entries used when the agent was rewarded: 00 01 10 11."""
        return self.by_signal["rewarded"]

    @property
    def neutral(self) -> Entries:
        """The entries used after neutral steps: 00 01 10 11."""
        return self.by_signal.get("neutral", (0,) * PER_SIGNAL)

    @property
    def padded(self) -> Entries:
        """The entries of every signal, zeros where the rule has none."""
        return (*self.entries, *(0,) * (WIDE - len(self.entries)))

    def with_eta(self, eta: float | None) -> Rule:
        return Rule(self.entries, eta)

    def neighbours(self) -> list[Rule]:
        """The rules that differ in exactly one entry, at the same eta: another of -1, 0, 1, or of a real one 0."""
        values = (-1, 0, 1) if self.is_ternary else (0,)
        return [
            Rule((*self.entries[:place], entry, *self.entries[place + 1 :]), self.eta)
            for place in range(len(self.entries))
            for entry in values
            if entry != self.entries[place]
        ]

    def __repr__(self) -> str:
        return f"Rule({self.notation!r})" if self.eta is None else f"Rule({self.notation!r}, eta={self.eta!r})"


def _read(rule: str | int | Sequence[float] | AnyRule) -> tuple[Entries, float | None]:
    """Entries and, where the rule has one, eta."""
    if isinstance(rule, (list, tuple)):  # as searches make them, by the thousand
        return check_entries(rule), None
    if isinstance(rule, Rule):
        return rule.entries, rule.eta
    if isinstance(rule, AnyRule):
        raise BadInput(f"rule {shown(rule.text)} is layered, but one rule for all layers is needed here, {EXAMPLE}.")
    if isinstance(rule, str):
        return read_text(rule)
    if isinstance(rule, bool) or hasattr(rule, "__len__"):  # arrays have __index__, too
        return check_entries(rule), None
    if hasattr(rule, "__index__"):
        return entries_of_index(rule.__index__()), None
    return check_entries(rule), None


def _with_at(part: Rule, write: Callable[[float], str]) -> str:
    return symbols_of(part.entries) + ("" if part.eta is None else f"@{write(part.eta)}")


def _part_key(part: Rule | None) -> tuple[float, ...]:
    if part is None:
        return (-math.inf,) * (WIDE + 1)
    return *part.padded, -1.0 if part.eta is None else part.eta
