"""A finished atlas: for every rule its best eta, its score on fresh lifetimes, its rank; kept in one small file.

The file is an ordinary .npz (no pickle) that needs numpy only:

- `about`: JSON text with the task, settings, seed, survey etas, lifetimes in all and digest;
- `eta`, `eta_low`, `eta_high`, `mean`, `sem` float64, `lifetimes` int32, `rank_first`, `rank_last` int16 and
  `distinct` and `kinds` float32, all [rule];
- `survey_mean` float32 and `survey_distinct` float32, [rule, eta].
"""

from __future__ import annotations

import functools
import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.brains.sizes import check_hidden_layers
from hebbarium.experiment import WAYS
from hebbarium.rules.layered import LayeredRule
from hebbarium.rules.rule import RULES, AnyRule, Rule
from hebbarium.show.pages import element, paragraph, table
from hebbarium.show.pages.skeleton import notebook
from hebbarium.studies.atlas.scores import Means, Scores
from hebbarium.tools.data_frames import data_frame
from hebbarium.tools.errors import BadInput, check_integer, settings_in_words, shown, shown_setting
from hebbarium.tools.files import replacing
from hebbarium.tools.npz import Arrays, Damaged, reading, save_arrays

FORMAT = 1
TABLE = "atlas.npz"
"""The file of one in a run's folder."""
SHIPPED = Path(__file__).parents[2] / "data"


@dataclass(frozen=True, repr=False)
class Atlas:
    """What is known of every rule of a task, by index."""

    about: dict[str, Any]
    """task, hidden, seed, etas, world, lifetimes, digest; `layers` where the rules are for the output layer alone."""
    eta: np.ndarray
    """float64 [rule]: the best found."""
    eta_low: np.ndarray
    """float64 [rule]: the nearest lower eta that was tried and did worse; nan where the best stands at the end."""
    eta_high: np.ndarray
    """float64 [rule]: the nearest higher one."""
    mean: np.ndarray
    """float64 [rule]: mean fitness on lifetimes that took no part in choosing the eta."""
    sem: np.ndarray
    """float64 [rule]: its standard error."""
    lifetimes: np.ndarray
    """int32 [rule]: how many it rests on."""
    rank_first: np.ndarray
    """int16 [rule]: the best rank it may have; rules that are better at the 95 % level stand before it."""
    rank_last: np.ndarray
    """int16 [rule]: the worst rank it may have."""
    distinct: np.ndarray
    """float32 [rule]: hidden neurons that still differ at the end of those lives, on average."""
    kinds: np.ndarray
    """float32 [rule]: those that differ within six digits, on average over the first of those lives."""
    survey_mean: np.ndarray
    """float32 [rule, eta]: mean fitness at the survey's etas, over the lifetimes that served to choose."""
    survey_distinct: np.ndarray
    """float32 [rule, eta]"""

    def __len__(self) -> int:
        return len(self.mean)

    @property
    def task(self) -> str:
        return str(self.about["task"])

    @property
    def etas(self) -> tuple[float, ...]:
        """Of the survey."""
        return tuple(self.about["etas"])

    @property
    def layers(self) -> str:
        """`same`: rules for both layers. `output`: for the output layer, the hidden one being frozen as it was born."""
        return str(self.about.get("layers", "same"))

    @property
    def brain(self) -> str:
        """The hidden neurons, and what else of the brain, blame and eligibility was not as usual, in words."""
        others = {name: self.about[name] for name in WAYS if name in self.about and name != "hidden"}
        return ", ".join(
            filter(None, (f"{shown_setting(self.about['hidden'])} hidden neurons", settings_in_words(others)))
        )

    def rule(self, row: int) -> AnyRule:
        """Of a row, as it lives."""
        rule = Rule(int(self.rules[row]))
        return LayeredRule(None, rule) if self.layers == "output" else rule

    @property
    def complete(self) -> bool:
        """Whether it holds every rule there is."""
        return len(self) == RULES

    @functools.cached_property
    def rules(self) -> np.ndarray:
        """int64 [row]: the index of each row's rule. In a complete atlas rule i has row i."""
        return np.asarray(self.about.get("rules", range(len(self))), np.int64)

    @functools.cached_property
    def order(self) -> np.ndarray:
        """int64 [rank]: rows of the rules, best first; in a complete atlas a rule's row is its index."""
        order: np.ndarray = np.argsort(-self.mean, kind="stable")
        return order

    @functools.cached_property
    def ranks(self) -> np.ndarray:
        """int64 [rule]: 1 is best."""
        ranks = np.empty(len(self), np.int64)
        ranks[self.order] = np.arange(1, len(self) + 1)
        return ranks

    def rank(self, rule: Rule) -> int | None:
        """None for a rule that a sample lacks."""
        (found,) = np.nonzero(self.rules == rule.index)
        return int(self.ranks[found[0]]) if len(found) else None

    def edge(self, row: int) -> str:
        """`lowest` or `highest` where the best eta stands at that end of those tried, so that a better one may lie
        beyond."""
        return "lowest" if np.isnan(self.eta_low[row]) else "highest" if np.isnan(self.eta_high[row]) else ""

    def row(self, index: int) -> dict[str, Any]:
        """One row of the table, as plain values."""
        return {
            "rank": int(self.ranks[index]),
            "rule": self.rule(index).notation,
            "rank_interval": [int(self.rank_first[index]), int(self.rank_last[index])],
            "eta": float(self.eta[index]),
            "eta_edge": self.edge(index),
            "fitness": float(self.mean[index]),
            "sem": float(self.sem[index]),
            "lifetimes": int(self.lifetimes[index]),
            "distinct_hidden": round(float(self.distinct[index]), 3),
            "kinds_of_hidden": round(float(self.kinds[index]), 3),
        }

    def top(self, count: int) -> list[dict[str, Any]]:
        """The rows of this many of the best rules, or of all where there are fewer."""
        check_integer("top", count, 1, RULES)
        return [self.row(int(index)) for index in self.order[:count]]

    def frame(self) -> Any:
        """A row for each rule, in the order of their index; polars or pandas, whichever is installed."""
        names = [Rule(int(index)).notation for index in self.rules]
        columns = {name: getattr(self, name) for name in _COLUMNS if not name.startswith("survey")}
        named = {"fitness" if name == "mean" else name: column for name, column in columns.items()}
        return data_frame({"index": self.rules, "rule": names, "rank": self.ranks, **named})

    def __repr__(self) -> str:
        best = self.row(int(self.order[0]))
        return f"Atlas({self.task}, {len(self):,} rules, best {best['rule']} with {best['fitness']:z.2f})"

    def _repr_html_(self) -> str:
        """What Jupyter shows: the best ten."""
        rows = [
            (row["rank"], span(*row["rank_interval"]), element("code", row["rule"]), f"{row['eta']:g}",
             f"{row['fitness']:z.2f} ± {row['sem']:.2f}", row["lifetimes"])
            for row in self.top(10)
        ]  # fmt: skip
        return notebook(
            f"Atlas of {self.task}: the best of {len(self):,} rules",
            table(("rank", "rank range", "rule", "eta", "fitness", "lifetimes"), rows, words=(2,)),
            paragraph("± is the standard error."),
        )

    def to_bytes(self) -> bytes:
        file = io.BytesIO()
        arrays = {name: getattr(self, name) for name in _COLUMNS}
        save_arrays(file, about=json.dumps({"format": FORMAT, **self.about}), **arrays)
        return file.getvalue()

    def save(self, path: str | os.PathLike[str]) -> None:
        with replacing(path) as part:
            part.write_bytes(self.to_bytes())

    @classmethod
    def of(cls, task: str, layers: str = "same", hidden: int | None = None) -> Atlas:
        """The atlas of a task that comes with the package.

        layers: `output` for the one of output rules, which comes for several numbers of `hidden` neurons."""
        found = shipped(task, layers, hidden)
        if found is None:
            own = "" if layers == "same" else f" --layers {layers}{'' if hidden is None else f' --hidden {hidden}'}"
            what = f"atlas of {task}{' with these layers' if own else ''}"
            raise BadInput(f"no {what} comes with the package; `hebbarium atlas {task}{own}` makes one.")
        return found

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Atlas:
        """The one in a file; types, shapes and sizes are checked before the columns are read."""
        with reading(path, "an atlas", "hebbarium atlas") as arrays:
            about = read_about(arrays)
            if (found := shown(about.get("format"))) != str(FORMAT):
                raise BadInput(f"the atlas {path} has format {found}, but this version reads {FORMAT}.")
            check_kinds(about, _ABOUT)
            try:
                check_hidden_layers(about["hidden"])
            except BadInput as error:
                raise Damaged(f"its {error}") from None
            etas = about["etas"]
            if not etas or not all(type(eta) is float and 0 <= eta < 1 for eta in etas) or sorted(set(etas)) != etas:
                raise Damaged(f"its etas are {shown(etas)}")
            for name in ("task", "digest"):  # they are printed, and part of names of files
                if not about[name].isprintable() or not 0 < len(about[name]) <= 100:
                    raise Damaged(f"its {name} is {shown(about[name])}")
            for name, value in about["world"].items():
                if type(value) not in (str, int, float, bool):
                    raise Damaged(f"its setting {shown(name)} is {shown(value)}")
            rows = arrays.declared("mean").shape[:1]
            if not rows or not 1 <= rows[0] <= RULES:
                raise Damaged(f"it has {rows[0] if rows else 'no'} rules, but there are 1 to {RULES:,}")
            shapes = {name: (*rows, len(etas)) if name.startswith("survey") else rows for name in _COLUMNS}
            check_columns(arrays, _COLUMNS, shapes)
            rules = about.get("rules", list(range(rows[0])))  # of a sample: an index for each row, ascending
            whole = type(rules) is list and all(type(index) is int and 0 <= index < RULES for index in rules)
            if not whole or len(rules) != rows[0] or sorted(set(rules)) != rules:
                raise Damaged(f"its rules are {shown(rules)}")
            columns = {name: (arrays.read if name in _WITH_GAPS else arrays.finite)(name) for name in _COLUMNS}
            for name, (low, high) in _RANGES.items():
                found = columns[name][~np.isnan(columns[name])]
                if not ((found >= low) & (found <= high)).all():
                    raise Damaged(f"{name} goes from {found.min():g} to {found.max():g}")
            if not (columns["rank_first"] <= columns["rank_last"]).all() or columns["rank_last"].max() > RULES:
                raise Damaged("its ranks are those of no table")
            return cls(about, **columns)


_COLUMNS = {
    "eta": np.float64,
    "eta_low": np.float64,
    "eta_high": np.float64,
    "mean": np.float64,
    "sem": np.float64,
    "lifetimes": np.int32,
    "rank_first": np.int16,
    "rank_last": np.int16,
    "distinct": np.float32,
    "kinds": np.float32,
    "survey_mean": np.float32,
    "survey_distinct": np.float32,
}
_WITH_GAPS = ("eta_low", "eta_high")
"""Columns that may hold nan."""
_ETA, _FITNESS, _MANY = (0.0, np.nextafter(1.0, 0.0)), (-1e12, 1e12), (1, np.inf)
_RANGES = {"eta": _ETA, "eta_low": _ETA, "eta_high": _ETA, "mean": _FITNESS, "sem": (0.0, 1e12)}
_RANGES |= {"survey_mean": _FITNESS, "lifetimes": _MANY, "rank_first": _MANY}
_RANGES |= dict.fromkeys(("distinct", "kinds", "survey_distinct"), (0.0, 1e9))
"""The least and the most that a column may hold."""
_ABOUT = {"task": str, "hidden": (int, list), "seed": int, "etas": list, "world": dict, "lifetimes": int, "digest": str}
LONGEST_ABOUT = 100_000
"""Characters."""


def span(first: int, last: int) -> str:
    """A range of ranks.

    >>> span(1, 1), span(3, 5)
    ('1', '3 to 5')
    """
    return f"{first}" if first == last else f"{first} to {last}"


def read_about(arrays: Arrays) -> dict[str, Any]:
    """The JSON text `about` of a file, parsed."""
    about = json.loads(arrays.text("about", LONGEST_ABOUT))
    if not isinstance(about, dict):
        raise Damaged("its `about` is not a table")
    return about


def check_kinds(about: Mapping[str, Any], kinds: Mapping[str, Any]) -> None:
    """kinds: the type, or types, that each value must have."""
    for name, kind in kinds.items():
        if type(about.get(name)) not in (kind if isinstance(kind, tuple) else (kind,)):
            raise Damaged(f"its {name} is {shown(about.get(name))}")


def check_columns(arrays: Arrays, types: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Refuse columns that are declared with another type or shape, before they are read."""
    for name, shape in shapes.items():
        declared, dtype = arrays.declared(name), np.dtype(types[name])
        if declared.dtype != dtype or declared.shape != shape:
            raise Damaged(f"{name} is {declared}, but must be {dtype.name} {list(shape)}")


@functools.cache
def shipped(task: str, layers: str = "same", hidden: int | None = None) -> Atlas | None:
    """The atlas of a task that comes with the package, if there is one. hidden: 20 for output rules, unless given."""
    path = SHIPPED / f"atlas-{shipped_name(task, layers, hidden)}.npz"
    return Atlas.load(path) if path.is_file() else None


def shipped_name(task: str, layers: str = "same", hidden: int | None = None) -> str:
    """What the files of an atlas that comes with the package are called."""
    return task if layers == "same" else f"{task}-{layers}-{20 if hidden is None else hidden}"


# How sure an atlas is: the ranks a rule may have, and the etas between which its best one lies.

Z = 1.96
"""Two rules' order is taken as settled where their difference is this many standard errors: 95 % for each pair."""


def paired(fresh: Scores, lifetimes: int) -> tuple[np.ndarray, np.ndarray]:
    """The rules that lived at least this many fresh lives, and their scores life by life.

    int64 [rule], float64 [rule, lifetime].
    """
    order = np.lexsort((fresh.trial, fresh.rule))
    rule, score = fresh.rule[order], fresh.score[order]
    rules, starts, sizes = np.unique(rule, return_index=True, return_counts=True)
    enough = sizes >= lifetimes
    rows = starts[enough, None] + np.arange(lifetimes)
    return rules[enough], score[rows]


def rank_intervals(
    mean: np.ndarray, sem: np.ndarray, pairs: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """First and last rank each rule may have. int64 [rule] each.

    Rules that lived the same trials are compared life by life, the others by their standard errors.
    """
    first, last = np.empty(len(mean), np.int64), np.empty(len(mean), np.int64)
    rules, scores = pairs
    place = {int(rule): row for row, rule in enumerate(rules)}
    for rule in range(len(mean)):
        error = np.hypot(sem, sem[rule])
        if rule in place:
            error[rules] = (scores - scores[place[rule]]).std(axis=1, ddof=1) / np.sqrt(scores.shape[1])
        ahead = mean - mean[rule]
        first[rule] = 1 + np.count_nonzero(ahead > Z * error)
        last[rule] = len(mean) - np.count_nonzero(-ahead > Z * error)
    return first, last


def brackets(tried: Means, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest etas tried below and above each rule's chosen one; nan where there is none. float64 [rule] each."""
    low, high = np.full(len(chosen), np.nan), np.full(len(chosen), np.nan)
    for rule, eta in enumerate(chosen):
        rows = tried.rows_of(rule)
        etas, lifetimes = tried.eta[rows], tried.lifetimes[rows]
        # Only etas tried as often as the chosen one have been compared with it.
        etas = etas[lifetimes >= lifetimes[etas == eta]]
        low[rule] = etas[etas < eta].max(initial=-np.inf)
        high[rule] = etas[etas > eta].min(initial=np.inf)
    low[np.isinf(low)], high[np.isinf(high)] = np.nan, np.nan
    return low, high
