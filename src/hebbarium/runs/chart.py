"""Fitness over the generations as a small SVG that follows the reader's light or dark."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any

WIDTH, HEIGHT = 720, 360
LEFT, RIGHT, TOP, BOTTOM = 62, 16, 14, 52
STYLE = """
.chart { --ink: #1d2430; --faint: #d5dae3; --best: #1f5fbf; --mean: #a4540f; font: 13px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) {
  .chart { --ink: #e6e9ef; --faint: #3a4250; --best: #7db2ff; --mean: #f0a35e; }
}
.chart text { fill: var(--ink); }
.chart .grid { stroke: var(--faint); stroke-width: 1; }
.chart .line { fill: none; stroke-width: 2.2; stroke-linejoin: round; }
.chart .one { stroke-width: 1; opacity: 0.45; }
.chart .best { stroke: var(--best); }
.chart .mean { stroke: var(--mean); stroke-dasharray: 6 4; }
.chart text.best { fill: var(--best); stroke: none; font-weight: 600; }
.chart text.mean { fill: var(--mean); stroke: none; font-weight: 600; }
@media (max-width: 640px) { .chart { font-size: 19px; } }
"""

Curve = Sequence[tuple[float, float]]


def fitness_chart(histories: Sequence[Sequence[dict[str, Any]]], *, alone: bool = False) -> str:
    """histories: for each run its moments (generation, best, mean). alone: as a file of its own."""
    best = [[(moment["generation"], moment["best"]) for moment in history] for history in histories]
    mean = [[(moment["generation"], moment["mean"]) for moment in history] for history in histories]
    points = [point for curve in (*best, *mean) for point in curve]
    scale = _Scale(points or [(0, 0), (1, 1)])
    lines = [_line(scale, curve, "one best") for curve in best if len(histories) > 1]
    lines += [_line(scale, _middle(mean), "mean"), _line(scale, _middle(best), "best")]
    namespace = 'xmlns="http://www.w3.org/2000/svg" ' if alone else ""
    style = f"<style>{STYLE}</style>" if alone else ""
    return (
        f'<svg {namespace}class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="Best and mean fitness over the generations">{style}{scale.axes()}{"".join(lines)}'
        f"{_legend(len(histories))}</svg>"
    )


def _middle(curves: Sequence[Curve]) -> Curve:
    """The median over the runs at each generation; a run that has ended counts as it ended."""
    last = max((len(curve) for curve in curves), default=0)
    whole = [curve for curve in curves if curve]
    return [
        (place + 1, statistics.median(curve[min(place, len(curve) - 1)][1] for curve in whole)) for place in range(last)
    ]


class _Scale:
    """From generations and fitness to places on the page."""

    def __init__(self, points: Curve) -> None:
        self.x_ticks = ticks(0, max(x for x, _ in points))
        self.y_ticks = ticks(min(0, *(y for _, y in points)), max(y for _, y in points))

    def place(self, x: float, y: float) -> tuple[float, float]:
        across = (x - self.x_ticks[0]) / (self.x_ticks[-1] - self.x_ticks[0])
        up = (y - self.y_ticks[0]) / (self.y_ticks[-1] - self.y_ticks[0])
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    def axes(self) -> str:
        parts = []
        for tick in self.y_ticks:
            _, y = self.place(0, tick)
            parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
            parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
        for tick in self.x_ticks:
            x, _ = self.place(tick, 0)
            parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{tick:g}</text>')
        parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">generation</text>')
        parts.append(
            f'<text transform="translate(16 {HEIGHT / 2 - 10}) rotate(-90)" text-anchor="middle">fitness</text>'
        )
        return "".join(parts)


def ticks(low: float, high: float) -> list[float]:
    """Round numbers that enclose both.

    >>> ticks(0, 47)
    [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]
    """
    span = (high - low) or 1.0
    rough = span / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [step * place for place in range(first, max(last, first + 1) + 1)]


def _line(scale: _Scale, curve: Curve, kind: str) -> str:
    places = [scale.place(x, y) for x, y in curve]
    return f'<path class="line {kind}" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in places)}"/>' if places else ""


def _legend(runs: int) -> str:
    best = "best fitness" if runs == 1 else f"best fitness, median of {runs} runs (each thin)"
    mean = "population's mean" if runs == 1 else "population's mean, median"
    x = LEFT + 12
    lines = (("best", TOP + 18, best), ("mean", TOP + 40, mean))
    return "".join(f'<text class="{kind}" x="{x}" y="{y}">{words}</text>' for kind, y, words in lines)
