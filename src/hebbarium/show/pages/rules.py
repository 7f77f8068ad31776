"""A rule for a page or a notebook: its eight entries as a small table, and its notation in colour."""

from __future__ import annotations

from collections.abc import Mapping

from hebbarium.rules.rule import AnyRule, Rule
from hebbarium.rules.words import PAIRS, SITUATIONS, signs, titled
from hebbarium.show.pages.colours import light
from hebbarium.show.pages.markup import Markup, element

CHANGES = {-1: "weaker", 0: "same", 1: "stronger"}
"""What an entry does to a synapse; also the class of its cell."""
HEADS = tuple(situation.replace("→ ", "→\N{NO-BREAK SPACE}") for situation in SITUATIONS)
"""In two lines where there is no room for one."""
INLINE = {kind: f"background:{light(kind + '-back')};color:{light(kind)}" for kind in ("weaker", "stronger")}
"""Styles of the cells in a notebook, which does not have our style sheet."""


def rule_table(rule: AnyRule, styles: Mapping[str, str] | None = None) -> Markup:
    """The rule as a table, a row for each signal; a layered one as several.

    styles: by class, where no style sheet is at hand."""
    if not rule.is_layered:
        return _table(rule.layers[0], styles or {})
    layers = (
        element(
            "figure",
            element("figcaption", title),
            element("p", "frozen") if part is None else _table(part, styles or {}),
        )
        for title, part in titled(rule)
    )
    return element("div", *layers, class_="layers")


def notebook_rule(rule: AnyRule) -> Markup:
    """What Jupyter shows of a rule: its text and its table in colour."""
    names = f" ({', '.join(rule.paper)})" if rule.paper else None
    return element("div", element("code", rule.short_text), names, rule_table(rule, INLINE))


def _table(rule: Rule, styles: Mapping[str, str]) -> Markup:
    heads = (element("th", situation, scope="col") for situation in HEADS)
    head = element("thead", element("tr", element("td"), *heads))
    rows = []
    for name, half in rule.by_signal.items():
        cells = (
            element("td", sign, class_=kind, style=styles.get(kind), title=f"{pair}: {kind}")
            for entry, sign, pair in zip(half, signs(half), PAIRS, strict=True)
            for kind in [CHANGES[(entry > 0) - (entry < 0)]]
        )
        rows.append(element("tr", element("th", name, scope="row"), *cells))
    return element("table", head, element("tbody", *rows), class_="rule", aria_label=f"rule {rule.notation}")


def rule_signs(notation: str) -> Markup:
    """The notation with its decreases and increases coloured, to be copied as it is."""
    kinds = {"-": "weaker", "+": "stronger"}
    return element("code", *(element("i", sign, class_=kinds.get(sign)) for sign in notation), class_="signs")


def signed(notation: str) -> str:
    """With real minus signs, which are as wide as the plus, so that signs weigh the same."""
    return notation.replace("-", "\N{MINUS SIGN}")
