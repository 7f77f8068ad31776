"""The paper's drawings: a world with its agent, the agent's network, the genotype and what becomes of it."""

from __future__ import annotations

import itertools

import numpy as np

from hebbarium.paper.charts import BLUE, GREEN, GREY, OURS, RED, svg, text
from hebbarium.rule import SITUATIONS, Rule
from hebbarium.tasks import grid

_SIDE = 420


def world(things: np.ndarray, path: np.ndarray, direction: int, side: int, title: str) -> str:
    """things: [thing, 3], path: [step, 2]; side: cells along each side, the wall included."""
    cell = _SIDE / side
    inner = _SIDE - 2 * cell
    body = [
        text(0, 14, title, extra="font-weight='600'"),
        "<g transform='translate(0 22)'>",
        f"<rect width='{_SIDE}' height='{_SIDE}' fill='#33373d'/>",
        f"<rect x='{cell:.2f}' y='{cell:.2f}' width='{inner:.2f}' height='{inner:.2f}' fill='#fbfaf7'/>",
    ]
    points = " ".join(f"{(column + 0.5) * cell:.1f},{(row + 0.5) * cell:.1f}" for row, column in path)
    body.append(f"<polyline points='{points}' fill='none' stroke='{RED}' stroke-opacity='.45' stroke-width='1.6'/>")
    for row, column, thing in things:
        colour = GREEN if thing == grid.GREEN else BLUE
        body.append(
            f"<rect x='{column * cell - 0.6:.1f}' y='{row * cell - 0.6:.1f}' width='{cell + 1.2:.1f}' "
            f"height='{cell + 1.2:.1f}' rx='1' fill='{colour}'/>"
        )
    row, column = path[-1]
    body.append(
        f"<path d='M0 -7L5.5 6L0 3L-5.5 6Z' fill='{RED}' stroke='#fff' stroke-width='.8' "
        f"transform='translate({(column + 0.5) * cell:.1f} {(row + 0.5) * cell:.1f}) rotate({90 * direction})'/></g>"
    )
    return svg("".join(body), _SIDE, _SIDE + 24, title)


def network(hidden: int, title: str) -> str:
    """Three sensed cells, two bits each, a hidden layer and three outputs, with their bias neurons."""
    inputs = [f"{place} {bit}" for place in ("left", "front", "right") for bit in (1, 2)] + ["bias"]
    shown = min(hidden, 8)
    columns = [
        (78.0, _places(len(inputs)), inputs),
        (210.0, _places(shown + 1), [""] * shown + ["bias"]),
        (330.0, _places(3), ["Left", "Straight", "Right"]),
    ]
    body = [text(0, 14, title, extra="font-weight='600'"), _edges(columns)]
    for number, (x, places, names) in enumerate(columns):
        for y, name in zip(places, names, strict=True):
            fill = GREY if name == "bias" else (OURS, RED, GREEN)[number] if number else BLUE
            body.append(f"<circle cx='{x}' cy='{y:.1f}' r='9' fill='{fill}'/>")
            if number == 2:
                body.append(text(x + 15, y + 4, name))
            elif name:
                body.append(text(x - 15, y + 4, name, "end") if number == 0 else text(x + 13, y - 8, name))
    body.append(text(210, 290, f"{hidden} hidden neurons", "middle", "opacity='.75'"))
    return svg("".join(body), 420, 300, title)


def _places(count: int) -> list[float]:
    return [150 + (number - (count - 1) / 2) * min(34.0, 240 / count) for number in range(count)]


def _edges(columns: list[tuple[float, list[float], list[str]]]) -> str:
    lines = []
    for (x, places, _), (next_x, next_places, names) in itertools.pairwise(columns):
        for y in places:
            for next_y, name in zip(next_places, names, strict=True):
                if name != "bias":
                    lines.append(f"M{x} {y:.1f}L{next_x} {next_y:.1f}")
    return f"<path d='{''.join(lines)}' stroke='currentColor' stroke-opacity='.18' fill='none'/>"


def genotype(rule: Rule, title: str) -> str:
    """Eta and eight entries, and what each of them decides."""
    body = [text(0, 14, title, extra="font-weight='600'")]
    width = 45
    cells = [("η", f"{rule.eta:g}"), *((f"{pre}{post}", f"{entry:+d}".replace("+0", "0"))
             for (_, pre, post), entry in zip(SITUATIONS, rule.entries, strict=True))]  # fmt: skip
    for number, (head, value) in enumerate(cells):
        x = 4 + number * width
        colour = GREY if number == 0 else {"-1": BLUE, "0": "none", "+1": RED}[value]
        body.append(
            f"<rect x='{x}' y='74' width='{width - 4}' height='34' rx='5' fill='{colour}' "
            f"fill-opacity='.28' stroke='currentColor' stroke-opacity='.4'/>"
        )
        body.append(text(x + (width - 4) / 2, 96, value, "middle", "font-weight='600' font-size='12'"))
        body.append(text(x + (width - 4) / 2, 68, head, "middle", "opacity='.75'"))
    for start, words in ((1, "m = −1, punished"), (5, "m = +1, rewarded")):
        x = 4 + start * width
        body.append(f"<path d='M{x} 52v-6h{4 * width - 4}v6' fill='none' stroke='currentColor' stroke-opacity='.5'/>")
        body.append(text(x + 2 * width, 42, words, "middle", "font-size='11'"))
    body.append(text(4, 128, "pre and post active? −1 weaken, 0 keep, +1 strengthen", extra="opacity='.75'"))
    body.append(_loop())
    return svg("".join(body), 420, 268, title)


def _loop() -> str:
    """Environment and agent: senses, action, reinforcement, plasticity."""
    boxes = ((8, "Environment", GREEN), (158, "Network", OURS), (308, "Rule and η", RED))
    body = []
    for x, name, colour in boxes:
        body.append(
            f"<rect x='{x}' y='166' width='104' height='46' rx='8' fill='{colour}' fill-opacity='.2' "
            f"stroke='{colour}'/>"
        )
        body.append(text(x + 52, 194, name, "middle", "font-weight='600'"))
    arrows = (
        ("M112 180H154", 133, 174, "senses"),
        ("M158 202H116", 137, 220, "action"),
        ("M308 189H266", 287, 182, "change"),
        ("M60 212V244H360V216", 210, 260, "reinforcement m"),
    )
    for path, x, y, name in arrows:
        body.append(f"<path d='{path}' fill='none' stroke='currentColor' stroke-opacity='.7' marker-end='url(#tip)'/>")
        body.append(text(x, y, name, "middle", "font-size='11' opacity='.8'"))
    tip = "<marker id='tip' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' markerHeight='7' orient='auto'>"
    return f"<defs>{tip}<path d='M0 0L8 4L0 8Z' fill='currentColor'/></marker></defs>{''.join(body)}"
