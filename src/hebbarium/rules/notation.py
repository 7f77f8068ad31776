"""How a rule is written: notation, index or one of the paper's names, and its eta after an `@`.

`00+-/0000`, `3442` and `foraging:1` are the same eight entries; `00+-/0000@0.02` has an eta of its own. A third part
holds entries for neutral steps, `00+-/0000/0-00`. Real entries are joined by colons, `0:0:0.86:-0.74/0:0:0:0`; after
`abcd:` they are the coefficients of Hebb's general form instead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hebbarium.rules.shape import ENTRIES, PER_SIGNAL, RULES, WIDE
from hebbarium.tools.errors import BadInput, check_number, nearest_word, plain, shown

SYMBOLS = "-0+"
_SYMBOL_OF = dict(zip((-1, 0, 1), SYMBOLS, strict=True))
EXAMPLE = "such as 00+-/0000"
LARGEST_ENTRY = 1000.0
"""Either way; the change of a weight is eta times the entry."""
HEBB = "abcd:"
"""Before a rule that is given by Hebb's coefficients."""
Entries = tuple[Any, ...]
"""Whole numbers where all of them are -1, 0 or +1, else real ones."""
_DASHES = {0x2212: "-", 0x2013: "-", 0x2014: "-"}
"""Dashes that word processors and PDF copies put in place of a plain minus."""
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?", re.IGNORECASE | re.ASCII)


def parts_of(entries: Entries) -> list[Entries]:
    """By signal: punished, rewarded and, where there are any, neutral."""
    return [entries[start : start + PER_SIGNAL] for start in range(0, len(entries), PER_SIGNAL)]


def sign(entry: float) -> str:
    """One entry: a sign, or a number."""
    return SYMBOLS[int(entry) + 1] if entry in (-1, 0, 1) else plain(entry)


def is_ternary(entries: Sequence[Any]) -> bool:
    return all(map((-1, 0, 1).__contains__, entries))


def symbols_of(entries: Entries) -> str:
    """Punishment, `/`, reward and, where there is a third part, `/` and neutral steps."""
    if is_ternary(entries):
        return "/".join("".join(map(_SYMBOL_OF.__getitem__, part)) for part in parts_of(entries))
    return "/".join(":".join(plain(entry) for entry in part) for part in parts_of(entries))


def table_of_hebb(a: float, b: float, c: float, d: float) -> Entries:
    """The entries 00 01 10 11 of eta (A pre post + B pre + C post + D).

    >>> table_of_hebb(-2, 1, 0, 0)
    (0, 0, 1, -1)
    """
    return d, c + d, b + d, a + b + c + d


def hebb_of_table(table: Entries) -> Entries:
    """A, B, C and D of the entries 00 01 10 11.

    >>> hebb_of_table((0, 0, 1, -1))
    (-2, 1, 0, 0)
    """
    silent, post, pre, both = table
    return both - pre - post + silent, pre - silent, post - silent, silent


def read_text(text: str) -> tuple[Entries, float | None]:
    """Entries and eta: the one after the `@`, or else that of a paper's name."""
    if "," in text:
        raise BadInput(f"rule {shown(text)} has a rule for each layer, but one for both is needed here, {EXAMPLE}.")
    words, at, eta = text.strip().partition("@")
    entries, known = _read_words(words.strip())
    return entries, read_eta(eta) if at else known


def read_eta(text: str) -> float:
    """The eta of a rule's text, from what follows the `@`."""
    number = text.strip().translate(_DASHES)
    return check_eta(float(number) if _NUMBER.fullmatch(number) else text)


def check_eta(eta: object) -> float:
    return check_number("eta", eta, 0, 1, below=True) + 0.0  # -0 becomes 0


def check_one_eta(rule: object, eta: object) -> None:
    """An eta after the `@` and another beside it contradict each other."""
    if eta is not None and isinstance(rule, str) and "@" in rule:
        raise BadInput(f"rule {shown(rule)} has its eta after the @, so eta {shown(eta)} cannot be given as well.")


def _read_words(text: str) -> tuple[Entries, float | None]:
    if text.lower().startswith(HEBB):
        numbers = _read_numbers(text, text[len(HEBB) :])
        return check_entries([entry for part in parts_of(numbers) for entry in table_of_hebb(*part)]), None
    if ":" in text and not text[:1].isalpha():
        return check_entries(_read_numbers(text, text)), None
    if ":" in text:
        return _read_name(text)
    if text.isascii() and text.isdigit() and len(text) <= 4:
        return entries_of_index(int(text)), None
    return check_entries(_read_notation(text)), None


def _read_numbers(text: str, parts: str) -> Entries:
    """Real entries: the parts with a `/` between, in each four numbers with colons between."""
    words = [part.split(":") for part in parts.translate(_DASHES).split("/")]
    if len(words) not in (ENTRIES // PER_SIGNAL, WIDE // PER_SIGNAL) or any(len(part) != PER_SIGNAL for part in words):
        found = "/".join(str(len(part)) for part in words[:4]) + "/..." * (len(words) > 4)
        raise BadInput(
            f"rule {shown(text)} has {found} numbers, but needs "
            f"{PER_SIGNAL} in each of two or three parts, such as 0:0:0.86:-0.74/0:0:0:0."
        )
    return tuple(_read_number(word.strip(), text) for part in words for word in part)


def _read_number(word: str, text: str) -> float:
    if not _NUMBER.fullmatch(word):
        raise BadInput(f"rule {shown(text)} has {shown(word)}, but needs a number there, such as -0.74.")
    return check_number("entry", float(word), -LARGEST_ENTRY, LARGEST_ENTRY)


def _read_name(text: str) -> tuple[Entries, float]:
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


def _read_notation(text: str) -> Entries:
    symbols = text.translate(_DASHES)
    for place in (PER_SIGNAL, ENTRIES):  # where a part ends; the slashes may be left out
        if symbols[place : place + 1] == "/" and len(symbols) > place + 1:
            symbols = symbols[:place] + symbols[place + 1 :]
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
    if len(symbols) not in (ENTRIES, WIDE):
        nearest = (symbols + "0" * ENTRIES)[:ENTRIES]
        raise BadInput(
            f"rule {shown(text)} has {len(symbols)} entries, but needs {ENTRIES}, or {WIDE} with neutral steps; "
            f"the nearest is {nearest[:PER_SIGNAL]}/{nearest[PER_SIGNAL:]}."
        )
    return tuple(SYMBOLS.index(symbol) - 1 for symbol in symbols)


def entries_of_index(index: int) -> Entries:
    if not 0 <= index < RULES:
        nearest = 0 if index < 0 else RULES - 1
        raise BadInput(f"rule index {shown(index)} is outside 0 to {RULES - 1}; the nearest is {nearest}.")
    return tuple(index // 3 ** (ENTRIES - 1 - place) % 3 - 1 for place in range(ENTRIES))


def check_entries(rule: object) -> Entries:
    """Whole numbers where all are -1, 0 or 1; a neutral part that changes nothing is left out."""
    try:
        given: tuple[object, ...] = tuple(rule) if not isinstance(rule, bytes) else (None,)  # type: ignore[arg-type]
    except TypeError:
        raise BadInput(f"{shown(rule)} is not a rule; write eight characters from -0+, {EXAMPLE}.") from None
    if len(given) not in (ENTRIES, WIDE):
        raise BadInput(
            f"a rule has {ENTRIES} entries, or {WIDE} with neutral steps, but {len(given)} were given: {shown(rule)}."
        )
    if set(map(type, given)) == {int} and is_ternary(given):  # as searches make them, by the thousand
        return given if any(given[ENTRIES:]) else given[:ENTRIES]
    entries = tuple(check_number("entry", entry, -LARGEST_ENTRY, LARGEST_ENTRY) + 0.0 for entry in given)
    entries = entries if any(entries[ENTRIES:]) else entries[:ENTRIES]
    return tuple(map(int, entries)) if is_ternary(entries) else entries


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
