"""What the paper leaves open: the comparison again under other readings of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hebbarium.paper import printed_numbers
from hebbarium.paper.comparison_tables import FITTED as MARK
from hebbarium.paper.comparison_tables import counts, mark
from hebbarium.paper.items.base import Item, PlainTable, Results, Scale, Section, Works
from hebbarium.paper.items.distinct_rules import compare_median
from hebbarium.paper.items.hand_made_rules import HandMadeRules
from hebbarium.paper.items.hidden_neurons import SIZES, sizes_works
from hebbarium.paper.items.seasons import Seasons
from hebbarium.paper.items.shared_reductions import (
    FORAGING,
    HUNTING,
    correct_and_incorrect,
    hill_climbs,
    percent,
    rule_lives,
    trials,
)
from hebbarium.paper.items.statements import gains
from hebbarium.paper.items.validation import Validation, validated
from hebbarium.paper.printed_numbers import rows_of, targets_of
from hebbarium.paper.readings import FITTED, READINGS, TEXT
from hebbarium.paper.verdict import Comparison, mind_the_order
from hebbarium.paper.works import PaperWork, Roaming
from hebbarium.tools.statistics import Estimate, estimate_mean
from hebbarium.worlds.base import World

TAIL = 1000
"""Last steps of a life, over which the ground covered is measured."""
CLIMBING = (TEXT, "unscaled-climbing")
LIVED = (TEXT, *(name for name, reading in READINGS.items() if reading.lives_differ))
WANDERING = tuple(
    name for name in LIVED if not READINGS[name].brain and READINGS[name].hidden_layer_learns and name != "literal"
)  # those that differ in random actions only


_LOW = (4, 5, 9, 11, 12)
"""Rules that come out clearly lower than published as the text has it."""


class Silence(Item):
    name = "silence"
    title = "What the paper leaves open"
    where = "Other readings"
    about = (
        "The paper leaves some choices open. Here the foraging tables are made again under other readings of them, "
        "each a name for 'hebbarium reproduce --reading NAME'."
    )
    of_all_readings = True

    def works(self, scale: Scale, seed: int) -> Works:
        lives = rule_lives(scale, seed, *ROWS)
        lives |= {f"size {size}": work for size, work in sizes_works(scale, seed).items()}
        lives["tests"] = replace(validated(scale, seed), lifetimes=scale.reading_validated)
        works: dict[str, PaperWork] = {}
        for reading in LIVED:
            works |= {f"{reading}/{name}": replace(work, reading=reading) for name, work in lives.items()}
        for reading in WANDERING:
            for rule in ROWS:
                works[f"{reading}/ground {rule}"] = Roaming(
                    task="foraging", rule=f"foraging:{rule}", lifetimes=scale.lives, tail=TAIL, seed=seed,
                    reading=reading,
                )  # fmt: skip
        for reading in CLIMBING:
            for task in ("foraging", "prey-predator"):
                climbs = hill_climbs(scale, seed, task)
                works[f"{reading}/climbs {task}"] = replace(climbs, lifetimes=scale.reading_climbs, reading=reading)
        return works

    def reduce(self, scale: Scale, results: Results) -> Section:
        readings = {name: Read.of(name, scale, results) for name in LIVED}
        climbs = {name: {task: results[f"{name}/climbs {task}"] for task in ("foraging", "prey-predator")}
                  for name in CLIMBING}  # fmt: skip
        wandering = {name: readings[name] for name in WANDERING}
        return Section(
            answer=answer(readings),
            ran=f"For each reading {trials(scale.lives, 'lives')} for each of 18 rules and each number of hidden "
            f"neurons, and {trials(scale.reading_validated, 'lives')} with validation. "
            f"{trials(scale.reading_climbs, 'climbs')} on each task, for each reading of hill climbing.",
            tables=[
                totals_table(readings),
                rows_table(readings),
                means_table("Rule 1, season by season", "Season", "Table 9", readings),
                sizes_table(readings),
                means_table("Rule 1 with validation", "Test", "Table 10", readings),
                ground_table(wandering, TAIL),
                climbing_table(climbs),
            ],
            remarks=[_lanes(wandering), _row_16(readings), _climbing(climbs)],
        )


def answer(readings: Mapping[str, Read]) -> str:
    """Which reading that keeps the text's 2 % brings most, beside the text's own."""
    keeping = [read for name, read in readings.items() if name != TEXT and "random_action" not in READINGS[name].world]
    scores = {read.name: good(read.comparisons) for read in keeping}
    best = max(keeping, key=lambda read: scores[read.name][0] / max(1, scores[read.name][1]))
    (near, firm), (texts, of) = scores[best.name], good(readings[TEXT].comparisons)
    if firm == 0 or of == 0:
        return "No verdict is firm, because the numbers are based on too few lives."
    words = READINGS[best.name].words.removesuffix(".")
    return (
        f"With the text taken literally, {texts} of {of} firm numbers are reproduced or close "
        f"({100 * texts / of:z.0f} %). The best other reading that keeps its 2 % of random actions is '{best.name}' "
        f"({words[0].lower()}{words[1:]}): {near} of {firm} ({100 * near / firm:z.0f} %)."
    )


def _lanes(readings: Mapping[str, Read]) -> str:
    """Whether random turns free agents that are caught in lanes."""
    text, turn = readings[TEXT], readings["turn"]
    ground = np.array([np.mean(turn.cells[rule]) - np.mean(text.cells[rule]) for rule in ROWS])
    wanted = np.array([turn.correct[rule] - text.correct[rule] for rule in ROWS])
    cells, correct, incorrect = (
        [np.mean([np.mean(values[rule]) for rule in _LOW]) for values in both]
        for both in ((text.cells, turn.cells), (text.correct, turn.correct), (text.incorrect, turn.incorrect))
    )
    together = float(np.corrcoef(ground, wanted)[0, 1]) if np.ptp(ground) > 0 and np.ptp(wanted) > 0 else 0.0
    return (
        "Random actions. If every random action is a turn, rules 4, 5, 9, 11 and 12 take more wanted items "
        f"({correct[1]:z.1f} instead of {correct[0]:z.1f} a season) and hardly more unwanted ones "
        f"({incorrect[1]:z.1f} instead of {incorrect[0]:z.1f}). One explanation is that agents get stuck in lanes, "
        f"and more turns free them: in their last 1000 steps they visit {cells[1]:z.0f} different cells instead of "
        f"{cells[0]:z.0f}. Over the 18 rules, the change in cells visited and the change in wanted items have a "
        f"correlation of {together:z.2f}. So lanes explain part of the difference, where agents "
        "cover clearly more ground; we have not shown more than that."
    )


def _row_16(readings: Mapping[str, Read]) -> str:
    names = (TEXT, "no-hidden-bias", "fixed-hidden-bias", "frozen-hidden")
    text, none, fixed, frozen = (readings[name].fitness[16].value for name in names)
    kept = [sum(readings[name].row(rule).verdict != "not reproduced" for rule in EVOLVED) for name in names]
    bare = readings["no-hidden-bias"]
    return (
        f"Row 16 (000-/0000, published 41.7) scores {text:z.1f} with the text taken literally, {none:z.1f} without a "
        f"hidden bias, {fixed:z.1f} with a fixed one, and {frozen:z.1f} with a hidden layer that does not learn. "
        f"Without a bias its correct and incorrect items are {bare.correct[16]:z.1f} and {bare.incorrect[16]:z.1f} "
        f"(published 47.6 and 6.0), but rules 17 and 18 then hit the wall {bare.walls[17]:z.0f} and "
        f"{bare.walls[18]:z.0f} times (published 120 and 603). Of the 15 evolved rules, {kept[0]} are reproduced or "
        f"close with the text taken literally, {kept[1]} without a bias, {kept[2]} with a fixed one and {kept[3]} "
        "with a frozen hidden layer. No reading tried here gives both row 16 and the other rows, so it may come from "
        "another version of the authors' network."
    )


def _climbing(climbs: Mapping[str, Results]) -> str:
    worlds = {"foraging": FORAGING, "prey-predator": HUNTING}
    scaled, unscaled = (
        {task: estimate_mean(world.fitness(one[task]["marks"][:, :, -1])).value for task, world in worlds.items()}
        for one in climbs.values()
    )
    return (
        "Hill climbing. The appendix does not say whether candidates are scaled to unit length. On prey-predator "
        f"(published 41.9) they score {scaled['prey-predator']:z.1f} scaled and {unscaled['prey-predator']:z.1f} "
        f"unscaled; on foraging (59 in one table, 56.5 in the other) {scaled['foraging']:z.1f} scaled and "
        f"{unscaled['foraging']:z.1f} unscaled. One iteration changes a scaled neuron with 89 inputs by about as "
        "much as its own length, so on prey-predator almost any network can come next, and the luckiest of a thousand "
        "is kept."
    )


# The foraging tables under several readings, reading by reading.

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
        """Compare the foraging tables under one reading with the paper's."""
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
        "foraging": (FORAGING, printed_numbers.FORAGING_COMPARISON),
        "prey-predator": (HUNTING, printed_numbers.PREY_PREDATOR_COMPARISON),
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
