"""How a rule is written: notation, index or one of the paper's names, and its eta after an `@`.

`00+-/0000`, `3442` and `foraging:1` are the same eight entries; `00+-/0000@0.02` has an eta of its own.
"""

from __future__ import annotations

import re

from hebbarium.tools.errors import BadInput, check_number, nearest_word, real_number, shown

SYMBOLS = "-0+"
ENTRIES = 8
RULES = 3**ENTRIES
EXAMPLE = "such as 00+-/0000"
_DASHES = {0x2212: "-", 0x2013: "-", 0x2014: "-"}
"""Dashes that word processors and PDF copies put in place of a plain minus."""


def symbols_of(entries: tuple[int, ...]) -> str:
    """Punishment half, `/`, reward half."""
    symbols = "".join(SYMBOLS[entry + 1] for entry in entries)
    return f"{symbols[:4]}/{symbols[4:]}"


def read_text(text: str) -> tuple[tuple[int, ...], float | None]:
    """Entries and eta: the one after the `@`, or else that of a paper's name."""
    if "," in text:
        raise BadInput(f"rule {shown(text)} has a rule for each layer, but one for both is needed here, {EXAMPLE}.")
    words, at, eta = text.strip().partition("@")
    entries, known = _read_words(words.strip())
    return entries, read_eta(eta) if at else known


def read_eta(text: str) -> float:
    """What stands after the `@`."""
    plain = text.strip().translate(_DASHES)
    number = re.fullmatch(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?", plain, re.IGNORECASE | re.ASCII)
    return check_eta(float(plain) if number else text)


def check_eta(eta: object) -> float:
    return check_number("eta", eta, 0, 1, below=True) + 0.0  # -0 becomes 0


def check_one_eta(rule: object, eta: object) -> None:
    """An eta after the `@` and another beside it contradict each other."""
    if eta is not None and isinstance(rule, str) and "@" in rule:
        raise BadInput(f"rule {shown(rule)} has its eta after the @, so eta {shown(eta)} cannot be given as well.")


def _read_words(text: str) -> tuple[tuple[int, ...], float | None]:
    if ":" in text:
        return _read_name(text)
    if text.isascii() and text.isdigit() and len(text) <= 4:
        return entries_of_index(int(text)), None
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
    plain = text.translate(_DASHES)
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


def entries_of_index(index: int) -> tuple[int, ...]:
    if not 0 <= index < RULES:
        nearest = 0 if index < 0 else RULES - 1
        raise BadInput(f"rule index {shown(index)} is outside 0 to {RULES - 1}; the nearest is {nearest}.")
    return tuple(index // 3 ** (ENTRIES - 1 - place) % 3 - 1 for place in range(ENTRIES))


def check_entries(rule: object) -> tuple[int, ...]:
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
