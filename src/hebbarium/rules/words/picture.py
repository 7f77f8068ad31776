"""A rule as a small table for a terminal; a layered one as two."""

from __future__ import annotations

from hebbarium.rules.rule import SYMBOLS, AnyRule, Rule
from hebbarium.rules.words.plain import Half


def picture(rule: AnyRule) -> str:
    """The rule as a 2 x 4 table for a terminal, or one for each layer."""
    if not rule.is_layered:
        return _picture(rule.layers[0])
    return "\n\n".join(
        f"{title}: frozen" if part is None else f"{title}\n{_picture(part)}" for title, part in titled(rule)
    )


def titled(rule: AnyRule) -> list[tuple[str, Rule | None]]:
    """Each layer with its name and eta."""
    return [
        (f"{name} layer" + ("" if part is None or part.eta is None else f", eta {part.eta_text}"), part)
        for name, part in zip(("hidden", "output"), rule.parts, strict=True)
    ]


def _picture(rule: Rule) -> str:
    head = ["          from silent       from active", "          silent  active    silent  active   <- onto"]
    rows = [
        f"{name}     {'       '.join((cells[0], cells[1]))}         {'       '.join((cells[2], cells[3]))}"
        for name, cells in (("punished", _symbols(rule.punished)), ("rewarded", _symbols(rule.rewarded)))
    ]
    return "\n".join(head + rows)


def _symbols(half: Half) -> list[str]:
    # A real minus sign is as wide as the plus, so that the table's signs weigh the same.
    return [SYMBOLS[entry + 1].replace("-", "\N{MINUS SIGN}") for entry in half]
