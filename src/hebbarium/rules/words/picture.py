"""A rule as a small table for a terminal; a layered one as two."""

from __future__ import annotations

from hebbarium.rules.notation import is_ternary, sign
from hebbarium.rules.rule import AnyRule, Rule
from hebbarium.rules.shape import layer_names
from hebbarium.rules.words.plain import SITUATIONS, Half
from hebbarium.tools.errors import plain


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
        (name + ("" if part is None or part.eta is None else f", eta {part.eta_text}"), part)
        for name, part in zip(titles(len(rule.parts)), rule.parts, strict=True)
    ]


def titles(layers: int) -> list[str]:
    """
    >>> titles(3)
    ['hidden layer 1', 'hidden layer 2', 'output layer']
    """
    names = (name.partition("hidden") for name in layer_names(layers))
    return [f"{hidden or before} layer {number}".strip() for before, hidden, number in names]


def _picture(rule: Rule) -> str:
    rows = [("", SITUATIONS), *((name, signs(half)) for name, half in rule.by_signal.items())]
    return "\n".join(f"{name:<9} {''.join(cell.center(17) for cell in cells)}".rstrip() for name, cells in rows)


def signs(half: Half) -> list[str]:
    """With real minus signs, which are as wide as the plus, so that the table's signs weigh the same."""
    symbols = [sign(entry) if is_ternary(half) else plain(entry) for entry in half]
    return [symbol.replace("-", "\N{MINUS SIGN}") for symbol in symbols]
