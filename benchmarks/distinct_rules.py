"""The distinct rules of a finished evolution beside the paper's, as Markdown: give the run's folder."""

from __future__ import annotations

import sys
from typing import Any

import hebbarium as hb
from hebbarium.paper import printed_numbers
from hebbarium.paper.printed_numbers import rows_of

PAPER = {"foraging": printed_numbers.FORAGING_RULES, "prey-predator": printed_numbers.PREY_PREDATOR_RULES}
HEAD = "| rule | paper's | count | median | std | max | min | eta mean | eta std | in search |"


def ours(rules: list[dict[str, Any]]) -> list[str]:
    return [
        f"| `{row['rule']}` | {', '.join(row['paper'])} | {row['count']} | {row['median']:.2f} | {row['std']:.2f} "
        f"| {row['max']:.2f} | {row['min']:.2f} | {row['eta_mean']:.4f} | {row['eta_std']:.4f} "
        f"| {row['searched']['median']:.2f} |"
        for row in rules
    ]


def paper(task: str) -> list[str]:
    lines = []
    for number, *cells in rows_of(PAPER[task]):
        rule = hb.PAPER_RULES[f"{task}:{number}"][0]
        lines.append(f"| `{rule}` | {task}:{number} | {' | '.join(cells[:7])} | |")
    return lines


def main(folder: str) -> None:
    run = hb.Run.open(folder)
    task, rules, best = run.configuration["task"], run.result("rules"), run.result("best")
    print(HEAD, "|---|---|" + "---:|" * 8, *ours(rules), sep="\n")
    print("\nThe paper's:\n", HEAD, "|---|---|" + "---:|" * 8, *paper(task), sep="\n")
    leader = hb.Rule(hb.PAPER_RULES[f"{task}:1"][0]).notation
    print(f"\n{best.count(leader)} of {len(best)} runs ended with {leader} as their best.")


if __name__ == "__main__":
    main(sys.argv[1])
