"""The paper's drawings: a world with its agent, the agent's network, the genotype and what becomes of it."""

from __future__ import annotations

import itertools

import numpy as np

from hebbarium.rules.rule import SITUATIONS, SYMBOLS, Rule
from hebbarium.show.pages import Markup, element
from hebbarium.show.pages.charts import dot, path, svg, text
from hebbarium.show.pages.colours import colour, light
from hebbarium.show.pages.rules import CHANGES, signed
from hebbarium.worlds import grid
from hebbarium.worlds.base import World

_SIDE = 420
_INK = colour("ink")


def _title(words: str) -> Markup:
    return text(0, 14, words, kind="title")


def _box(x: float, y: float, width: float, height: float, fill: str, **more: object) -> Markup:
    return element("rect", x=x, y=y, width=width, height=height, fill=fill, **more)


def world(things: np.ndarray, steps: np.ndarray, direction: int, side: int, title: str) -> Markup:
    """A world with its agent, drawn.

    things: [thing, 3], steps: [step, 2], the way of the agent; side: cells along each side, the wall included."""
    cell = _SIDE / side
    fills = {grid.GREEN: light("green"), grid.BLUE: light("blue")}
    red = light("red")  # the world is as light on a dark page
    way = path(((column + 0.5) * cell, (row + 0.5) * cell) for row, column in steps)
    row, column = steps[-1]
    turned = f"translate({(column + 0.5) * cell:.1f} {(row + 0.5) * cell:.1f}) rotate({90 * direction})"
    parts = [
        _box(0, 0, _SIDE, _SIDE, "#33373d"),
        _box(cell, cell, _SIDE - 2 * cell, _SIDE - 2 * cell, "#fbfaf7"),
        element("path", d=way, fill="none", stroke=red, stroke_opacity=0.45, stroke_width=1.6),
        *(
            _box(column * cell - 0.6, row * cell - 0.6, cell + 1.2, cell + 1.2, fills[thing], rx=1)
            for row, column, thing in things.tolist()
        ),
        element("path", d="M0 -7L5.5 6L0 3L-5.5 6Z", fill=red, stroke="#fff", stroke_width=0.8, transform=turned),
    ]
    return svg(_SIDE, _SIDE + 24, title, _title(title), element("g", *parts, transform="translate(0 22)"))


def network(world: World, title: str) -> Markup:
    """Inputs, a hidden layer and the outputs, with their bias neurons."""
    inputs, hidden = world.input_names, world.default_hidden
    shown = min(hidden, 8)
    columns = [
        (150.0, _places(len(inputs) + 1), [*inputs, "bias"]),
        (255.0, _places(shown + 1), [""] * shown + ["bias"]),
        (350.0, _places(len(world.actions)), [*world.actions]),
    ]
    edges = [
        f"M{x} {y:.1f}L{next_x} {next_y:.1f}"
        for (x, places, _), (next_x, next_places, names) in itertools.pairwise(columns)
        for y in places
        for next_y, name in zip(next_places, names, strict=True)
        if name != "bias"
    ]
    parts = [_title(title), element("path", d="".join(edges), stroke=_INK, stroke_opacity=0.18, fill="none")]
    for number, (x, places, names) in enumerate(columns):
        for y, name in zip(places, names, strict=True):
            parts.append(dot(x, y, "grey" if name == "bias" else "first", radius=9))
            aside, anchor = ((-15, "end"), (13, ""), (15, ""))[number]
            parts.append(text(x + aside, y + (-8 if number == 1 else 4), name, anchor))
    parts.append(text(255, 290, f"{hidden} hidden neurons", "middle"))
    return svg(_SIDE, 300, title, *parts)


def _places(count: int) -> list[float]:
    return [150 + (number - (count - 1) / 2) * min(34.0, 240 / count) for number in range(count)]


def genotype(rule: Rule, title: str) -> Markup:
    """Eta and eight entries, and below them the loop of environment and agent."""
    parts = [_title(title), *_gene(4, 62, "η", f"{rule.eta:g}", "card")]
    for number, ((_, pre, post), entry) in enumerate(zip(SITUATIONS, rule.entries, strict=True)):
        fill = f"{CHANGES[entry]}-back" if entry else "card"
        parts += _gene(74 + 43 * number, 39, f"{pre}{post}", signed(SYMBOLS[entry + 1]), fill)
    for start, words in ((74, "m = −1, punished"), (246, "m = +1, rewarded")):
        parts.append(element("path", d=f"M{start} 52v-6h168v6", fill="none", stroke=_INK, stroke_opacity=0.5))
        parts.append(text(start + 84, 42, words, "middle"))
    parts.append(text(4, 128, "pre and post active? − weaken, 0 keep, + strengthen"))
    for x, name in ((8, "Environment"), (163, "Network"), (318, "Rule and η")):
        parts.append(_box(x, 166, 96, 46, colour("card"), rx=8, stroke=colour("first")))
        parts.append(text(x + 48, 194, name, "middle", "title"))
    for way, tip, x, y, name in (
        ("M104 180H155", "M163 180l-9 -4v8z", 133, 174, "senses"),
        ("M163 202H112", "M104 202l9 -4v8z", 134, 220, "action"),
        ("M318 189H267", "M259 189l9 -4v8z", 289, 182, "change"),
        ("M60 212V244H360V222", "M360 212l-4 9h8z", 210, 260, "reinforcement m"),
    ):
        parts.append(element("path", d=way, fill="none", stroke=_INK, stroke_opacity=0.7))
        parts.append(element("path", d=tip, fill=_INK))
        parts.append(text(x, y, name, "middle"))
    return svg(_SIDE, 268, title, *parts)


def _gene(x: float, width: float, head: str, value: str, fill: str) -> list[Markup]:
    middle = x + width / 2
    return [
        _box(x, 74, width, 34, colour(fill), rx=5, stroke=_INK, stroke_opacity=0.4),
        text(middle, 96, value, "middle", "title"),
        text(middle, 68, head, "middle"),
    ]
