"""Draw the figure of docs/findings.md: fitness of the paper's rules season by season, rules 1 to 3 with 95 % bands.

    python benchmarks/ageing_figure.py docs/images/ageing.svg

About a minute of processor time.
"""

from __future__ import annotations

import sys
from pathlib import Path

import hebbarium as hb
from hebbarium.show.pages import Line, line_chart
from hebbarium.show.pages.charts import standalone
from hebbarium.studies.lifelong.page import COLOURS, band

RULES, SEASONS, LIFETIMES, SEED = 15, 32, 200, 5


def main(path: Path) -> None:
    seasons, lines = range(1, SEASONS + 1), []
    for number in range(1, RULES + 1):
        lives = hb.live("foraging", f"foraging:{number}", seasons=SEASONS, lifetimes=LIFETIMES, seed=SEED)
        if number <= 3:
            lines.append(band(f"rule {number}", seasons, lives.fitness, COLOURS[number - 1]))
        else:
            name = f"rules {number} to {RULES}" if number == 4 else ""
            lines.append(Line(name, seasons, lives.fitness.mean(axis=0), "grey", thin=True))
    chart = line_chart(
        lines, title="The paper's rules in a long life", x_label="season", y_label="fitness", from_zero=True
    )
    path.write_text(standalone(chart), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
