"""The plasticity rule: eight ternary entries and a learning rate.

An entry says what a synapse does (-1 decrease, 0 keep, +1 increase) in one of eight situations, in the
paper's column order: punished (m=-1) 00 01 10 11, then rewarded (m=+1) 00 01 10 11. The two bits say
whether the pre-synaptic and the post-synaptic neuron were active, in that order.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from hebbarium.errors import BadInput, check_number, nearest_word, real_number, shown

SYMBOLS = "-0+"
ENTRIES = 8
RULES = 3**ENTRIES
SITUATIONS = tuple((m, pre, post) for m in (-1, +1) for pre in (0, 1) for post in (0, 1))
"""(reinforcement, pre active, post active) of each entry, in the order of the entries."""

EXAMPLE = "such as 00+-/0000"


@functools.total_ordering
@dataclass(frozen=True, eq=False, repr=False)
class Rule:
    """A plasticity rule.

    >>> Rule("00+-/0000", eta=0.04)
    Rule('00+-/0000', eta=0.04)
    >>> Rule("foraging:1").eta
    0.0375
    >>> Rule("3442") == Rule("00+-/0000") and Rule("00+-/0000").paper
    ('foraging:1',)

    Two rules are equal when entries and eta are; they are ordered by index, then by eta.
    """

    entries: tuple[int, ...]
    """Eight of -1, 0, +1, in the order of SITUATIONS."""

    eta: float | None = None
    """The learning rate in [0, 1); None where only the entries matter."""

    def __init__(self, rule: str | int | Sequence[int] | Rule, eta: float | None = None) -> None:
        """`rule`: a notation, an index, one of the paper's names, eight entries, or another rule."""
        entries, own_eta = _read(rule)
        if eta is None:
            eta = own_eta
        if eta is not None:
            eta = check_number("eta", eta, 0, 1, below=True)
        object.__setattr__(self, "entries", entries)
        object.__setattr__(self, "eta", eta)

    @property
    def notation(self) -> str:
        """Punishment half, `/`, reward half: `00+-/0000`."""
        symbols = "".join(SYMBOLS[entry + 1] for entry in self.entries)
        return f"{symbols[:4]}/{symbols[4:]}"

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

    @property
    def paper(self) -> tuple[str, ...]:
        """The paper's names of these eight entries, whatever the eta; most rules have none."""
        return tuple(name for name, (notation, _) in PAPER_RULES.items() if notation == self.notation)

    def with_eta(self, eta: float) -> Rule:
        return Rule(self.entries, eta)

    def neighbours(self) -> list[Rule]:
        """The 16 rules that differ in exactly one entry, at the same eta."""
        return [
            Rule((*self.entries[:place], entry, *self.entries[place + 1 :]), self.eta)
            for place in range(ENTRIES)
            for entry in (-1, 0, 1)
            if entry != self.entries[place]
        ]

    def _key(self) -> tuple[int, float]:
        return self.index, -1.0 if self.eta is None else self.eta

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Rule) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._key() < other._key() if isinstance(other, Rule) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        return self.notation

    def __repr__(self) -> str:
        return f"Rule({self.notation!r})" if self.eta is None else f"Rule({self.notation!r}, eta={self.eta!r})"


def _read(rule: str | int | Sequence[int] | Rule) -> tuple[tuple[int, ...], float | None]:
    """Entries and, where the paper names one, eta."""
    if isinstance(rule, Rule):
        return rule.entries, rule.eta
    if isinstance(rule, str):
        return _read_text(rule.strip())
    if isinstance(rule, bool) or hasattr(rule, "__len__"):  # arrays have __index__, too
        return _read_entries(rule), None
    if hasattr(rule, "__index__"):
        return _entries_of_index(rule.__index__()), None
    return _read_entries(rule), None


def _read_entries(rule: object) -> tuple[int, ...]:
    try:
        entries: tuple[object, ...] = tuple(rule)  # type: ignore[arg-type]
    except TypeError:
        raise BadInput(f"{shown(rule)} is not a rule; write eight characters from -0+, {EXAMPLE}.") from None
    if len(entries) != ENTRIES:
        raise BadInput(f"a rule has {ENTRIES} entries, but {len(entries)} were given: {shown(rule)}.")
    for entry in entries:
        if real_number(entry) not in (-1, 0, 1):
            raise BadInput(f"a rule's entries are -1, 0 or 1, but {shown(entry)} was given.")
    return tuple(int(entry) for entry in entries)  # type: ignore[call-overload]


def _read_text(text: str) -> tuple[tuple[int, ...], float | None]:
    if ":" in text:
        return _read_name(text)
    if text.isascii() and text.isdigit() and len(text) <= 4:
        return _entries_of_index(int(text)), None
    return _read_notation(text), None


def _read_name(text: str) -> tuple[tuple[int, ...], float]:
    name = text.lower()
    if name not in PAPER_RULES:
        task = nearest_word(name.partition(":")[0], {known.partition(":")[0] for known in PAPER_RULES}) or "foraging"
        last = sum(known.startswith(f"{task}:") for known in PAPER_RULES)
        number = name.partition(":")[2]
        nearest = f"{task}:{min(max(int(number), 1), last)}" if _is_whole(number) else f"{task}:1"
        raise BadInput(
            f"the paper has no rule {shown(text)}; its rules are foraging:1 to foraging:18 and "
            f"prey-predator:1 to prey-predator:6; the nearest is {nearest}."
        )
    notation, eta = PAPER_RULES[name]
    return _read_notation(notation), eta


def _is_whole(text: str) -> bool:
    return text.isascii() and text.removeprefix("-").isdigit() and len(text) < 10


def _read_notation(text: str) -> tuple[int, ...]:
    # Dashes that word processors and PDF copies put in place of a plain minus.
    plain = text.translate({0x2212: "-", 0x2013: "-", 0x2014: "-"})
    symbols = plain[:4] + plain[5:] if plain[4:5] == "/" else plain
    strange = sorted(set(symbols) - set(SYMBOLS))
    if strange and symbols.isascii() and symbols.isdigit():
        raise BadInput(
            f"rule {shown(text)} has too many digits for an index (0 to {RULES - 1}); the nearest is {RULES - 1}."
        )
    if strange:
        where = " (it belongs after the fourth entry)" if strange == ["/"] else ""
        raise BadInput(
            f"rule {shown(text)} has {strange[0]!r}{where}, but is written with eight characters from -0+, {EXAMPLE}."
        )
    if len(symbols) != ENTRIES:
        nearest = (symbols + "0" * ENTRIES)[:ENTRIES]
        raise BadInput(
            f"rule {shown(text)} has {len(symbols)} entries, but needs {ENTRIES}; "
            f"the nearest is {nearest[:4]}/{nearest[4:]}."
        )
    return tuple(SYMBOLS.index(symbol) - 1 for symbol in symbols)


def _entries_of_index(index: int) -> tuple[int, ...]:
    if not 0 <= index < RULES:
        nearest = 0 if index < 0 else RULES - 1
        raise BadInput(f"rule index {shown(index)} is outside 0 to {RULES - 1}; the nearest is {nearest}.")
    return tuple(index // 3 ** (ENTRIES - 1 - place) % 3 - 1 for place in range(ENTRIES))


PAPER_RULES: dict[str, tuple[str, float]] = {
    # Distinct rules found by the paper's GA on foraging, each at its published mean eta.
    "foraging:1": ("00+-/0000", 0.0375),
    "foraging:2": ("-++-/0000", 0.0167),
    "foraging:3": ("+0+-/0000", 0.0192),
    "foraging:4": ("-++-/+0-0", 0.0488),
    "foraging:5": ("--+0/+0-0", 0.0182),
    "foraging:6": ("-++-/--++", 0.0118),
    "foraging:7": ("0++-/--++", 0.0092),
    "foraging:8": ("+++-/--++", 0.0096),
    "foraging:9": ("-++-/0-0+", 0.0273),
    "foraging:10": ("+++-/0-0+", 0.0052),
    "foraging:11": ("0++-/+---", 0.0198),
    "foraging:12": ("-++0/+---", 0.061),
    "foraging:13": ("000-/++0-", 0.0799),
    "foraging:14": ("000-/0++-", 0.0662),
    "foraging:15": ("++--/+0-+", 0.0301),
    # Defined by hand.
    "foraging:16": ("000-/0000", 0.04),
    "foraging:17": ("00+-/0-0+", 0.01),
    "foraging:18": ("000-/000+", 0.01),
    # Distinct rules found by the paper's GA on prey-predator.
    "prey-predator:1": ("0-+0/+-00", 0.42),
    "prey-predator:2": ("0-+0/-0--", 0.55),
    "prey-predator:3": ("+-+-/0---", 0.98),
    "prey-predator:4": ("+0+-/-0--", 0.69),
    "prey-predator:5": ("+0+-/+--0", 0.56),
    "prey-predator:6": ("+0+-/0--0", 0.65),
}
