"""The foraging tables under several readings, reading by reading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hebbarium.paper import printed_tables
from hebbarium.paper.comparison_tables import FITTED as MARK
from hebbarium.paper.comparison_tables import counts, mark
from hebbarium.paper.items.base import PlainTable, Results, Scale
from hebbarium.paper.items.distinct_rules import compare_median
from hebbarium.paper.items.hand_made_rules import HandMadeRules
from hebbarium.paper.items.hidden_neurons import SIZES
from hebbarium.paper.items.seasons import Seasons
from hebbarium.paper.items.shared_reductions import FORAGING, HUNTING, correct_and_incorrect, percent
from hebbarium.paper.items.statements import gains
from hebbarium.paper.items.validation import Validation
from hebbarium.paper.printed_numbers import rows_of, targets_of
from hebbarium.paper.readings import FITTED, READINGS, TEXT
from hebbarium.paper.verdict import Comparison, mind_the_order
from hebbarium.tools.statistics import Estimate, estimate_mean
from hebbarium.worlds.base import World

ROWS = tuple(range(1, 19))
EVOLVED = tuple(range(1, 16))
CLIMBS = {TEXT: "scaled", "unscaled-climbing": "unscaled"}


@dataclass(frozen=True)
class Read:
    """What one reading gives."""

    name: str
    fitness: Mapping[int, Estimate]
    """Of each rule's lives."""
    walls: Mapping[int, float]
    correct: Mapping[int, float]
    incorrect: Mapping[int, float]
    parts: Mapping[str, Sequence[Comparison]]
    """The numbers that any faithful copy should find, by the paper's table or figure."""
    sizes: Mapping[int, Estimate]
    cells: Mapping[int, np.ndarray]
    """Of each rule: different cells in the last steps, [life]; empty where they were not counted."""
    beside_walls: Mapping[int, float]
    """Of each rule: the share of those steps beside a wall."""

    @classmethod
    def of(cls, name: str, scale: Scale, results: Results) -> Read:
        own = {key.partition("/")[2]: arrays for key, arrays in results.items() if key.partition("/")[0] == name}
        lives = {rule: own[f"rule {rule}"]["counts"] for rule in ROWS}
        fitness = {rule: estimate_mean(FORAGING.fitness(one)) for rule, one in lives.items()}
        ground = {rule: own[f"ground {rule}"] for rule in ROWS if f"ground {rule}" in own}
        parts: dict[str, Sequence[Comparison]] = {
            "Table 2": [
                compare_median(target, fitness[int(target.row.removeprefix("rule "))])
                for target in targets_of("foraging-rules")
                if target.column == "Median"
            ],
            "Table 3": HandMadeRules().reduce(scale, own).comparisons,
            "Table 9": Seasons().reduce(scale, own).comparisons,
            "Table 10": Validation().reduce(scale, own).comparisons,
            "Figure 7": [one for one, _ in gains({size: own[f"size {size}"] for size in (5, 20, 50)})],
        }
        return cls(
            name,
            fitness,
            {rule: float(one[:, :, 2].mean()) for rule, one in lives.items()},
            {rule: float(correct_and_incorrect(one)[0].mean()) for rule, one in lives.items()},
            {rule: float(correct_and_incorrect(one)[1].mean()) for rule, one in lives.items()},
            {
                part: mind_the_order([one for one in comparisons if one.kind == "measured"])
                for part, comparisons in parts.items()
            },
            {size: estimate_mean(FORAGING.fitness(own[f"size {size}"]["counts"])) for size in SIZES},
            {rule: arrays["cells"] for rule, arrays in ground.items()},
            {rule: float(arrays["beside_walls"].mean()) for rule, arrays in ground.items()},
        )

    @property
    def comparisons(self) -> list[Comparison]:
        return [one for part in self.parts.values() for one in part]

    def row(self, rule: int) -> Comparison:
        """The comparison of a rule's fitness."""
        part, column = ("Table 2", "Median") if rule in EVOLVED else ("Table 3", "Fitness")
        return next(one for one in self.parts[part] if (one.row, one.column) == (f"rule {rule}", column))

    @property
    def distance(self) -> float:
        """The sum of all differences of the rows but the sixteenth, which no reading brings near."""
        return sum(abs(self.row(rule).difference or 0.0) for rule in ROWS if rule != 16)


def good(comparisons: Iterable[Comparison]) -> tuple[int, int]:
    """Firm verdicts that are reproduced or close, and all firm ones."""
    firm = counts(comparisons)
    near = firm["reproduced"] + firm["close"]
    return near, near + firm["not reproduced"]


def _number(one: Comparison) -> str:
    return "–" if one.ours is None else f"{one.ours:z.1f} {mark(one)}"


def totals_table(readings: Mapping[str, Read]) -> PlainTable:
    rows = []
    for name, read in readings.items():
        verdicts = ["{} of {}".format(*good(part)) for part in (read.comparisons, *read.parts.values())]
        rows.append((name, *verdicts, f"{read.distance:z.1f}"))
    described = " ".join(f"{name}: {READINGS[name].words}" for name in readings)
    return PlainTable(
        "Firm verdicts: numbers reproduced or close",
        ("Reading", "All", *readings[TEXT].parts, "Rows apart"),
        rows,
        "Rows apart: the sum of the differences between our fitness and the published one over 17 rows, row 16 left "
        "out.",
        f"{described} {MARK} Fitted to the paper's numbers in every reading that does not say otherwise: "
        f"{'; '.join(FITTED)}.",
        "What each reading is",
    )


def rows_table(readings: Mapping[str, Read]) -> PlainTable:
    fitness = [
        (f"{rule}", readings[TEXT].row(rule).printed, *(_number(read.row(rule)) for read in readings.values()))
        for rule in ROWS
    ]
    published = {(target.row, target.column): target.printed for target in targets_of("hand-made-rules")}
    walls = [
        (
            f"{rule}, {what}",
            published[f"rule {rule}", column],
            *(f"{getattr(read, what)[rule]:z.1f}" for read in readings.values()),
        )
        for rule in (16, 17, 18)
        for what, column in (("correct", "Correct"), ("incorrect", "Incor."), ("walls", "Wall"))
    ]
    return PlainTable(
        "The 18 rules",
        ("Rule", "Paper", *readings),
        [*fitness, *walls],
        "Fitness of each rule at its published eta; below, what the three rules made by hand collect in a season, and "
        "how often they hit the wall.",
    )


def means_table(title: str, row: str, part: str, readings: Mapping[str, Read]) -> PlainTable:
    """The means of one of the paper's tables. row: what a row is."""
    cells = [{one.cell: one for one in read.parts[part]} for read in readings.values()]
    rows = [
        (cell.removesuffix(" Mean"), one.printed, *(_number(by_cell[cell]) for by_cell in cells))
        for cell, one in cells[0].items()
        if one.column.endswith("Mean")
    ]
    return PlainTable(title, (row, "Paper", *readings), rows)


def sizes_table(readings: Mapping[str, Read]) -> PlainTable:
    rows = [(f"{size}", *(f"{read.sizes[size].value:z.1f}" for read in readings.values())) for size in SIZES]
    gained = [
        (f"{title} (paper: {printed_})", *(_number(read.parts["Figure 7"][place]) for read in readings.values()))
        for place, (title, printed_) in enumerate((("from 5 to 20", "13"), ("from 20 to 50", "3")))
    ]
    return PlainTable("Rule 1 by hidden neurons", ("Hidden neurons", *readings), [*rows, *gained])


def ground_table(readings: Mapping[str, Read], tail: int) -> PlainTable:
    rows = [
        (
            f"{rule}",
            *(f"{np.mean(read.cells[rule]):z.0f}" for read in readings.values()),
            *(percent(read.beside_walls[rule]) for read in readings.values()),
        )
        for rule in ROWS
    ]
    return PlainTable(
        "Where agents go",
        ("Rule", *(f"cells, {name}" for name in readings), *(f"at walls, {name}" for name in readings)),
        rows,
        f"Of the last {tail} steps of a life, mean over lives: different cells on which the agent stood, and the share "
        "of steps beside a wall.",
    )


def climbing_table(climbs: Mapping[str, Results]) -> PlainTable:
    worlds: dict[str, tuple[World, str]] = {
        "foraging": (FORAGING, printed_tables.FORAGING_COMPARISON),
        "prey-predator": (HUNTING, printed_tables.PREY_PREDATOR_COMPARISON),
    }
    rows = []
    for task, (world, text) in worlds.items():
        _, fitness, std, _ = next(row for row in rows_of(text) if row[0].startswith("Hill"))
        rows.append((task, "paper", "100", fitness, "–", std, "–"))
        for name, by_task in climbs.items():
            scores = world.fitness(by_task[task]["marks"][:, :, -1])
            mean = estimate_mean(scores)
            rows.append(
                (task, CLIMBS[name], f"{len(scores)}", f"{mean.value:z.1f}", f"{mean.low:z.1f} to {mean.high:z.1f}",
                 f"{scores.std(ddof=1):z.1f}", f"{by_task[task]['again'].mean():z.1f}")
            )  # fmt: skip
    return PlainTable(
        "Hill climbing",
        ("Task", "Reading", "Climbs", "Fitness", "95 % interval", "Std", "Tested again"),
        rows,
        "Fitness of one season when the network was chosen, and when it is tested again in fresh worlds. Scaled: every "
        "candidate to unit length, like networks that learn, which is what is compared everywhere else. Unscaled: "
        "weights begin in [-1, 1) and are never scaled (--reading unscaled-climbing).",
        words=(0, 1),
    )
