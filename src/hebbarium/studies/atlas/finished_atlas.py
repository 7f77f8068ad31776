"""A finished atlas: for every rule its best eta, its score on fresh lifetimes, its rank; kept in one small file.

The file is an ordinary .npz (no pickle) that needs numpy only:

- `about`: JSON text with the task, settings, seed, survey etas, lifetimes in all and digest;
- `eta`, `eta_low`, `eta_high`, `mean`, `sem` float64, `lifetimes` int32, `rank_first`, `rank_last` int16 and
  `distinct` and `kinds` float32, all [rule];
- `survey_mean` float32 and `survey_distinct` float32, [rule, eta].
"""

from __future__ import annotations

import dataclasses
import functools
import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.brains.base import Brain
from hebbarium.brains.sizes import check_hidden_layers
from hebbarium.experiment import WAYS, Ways
from hebbarium.rules.layered import LayeredRule
from hebbarium.rules.rule import RULES, AnyRule, Rule
from hebbarium.show.pages import element, paragraph, table
from hebbarium.show.pages.skeleton import notebook
from hebbarium.tools.data_frames import data_frame
from hebbarium.tools.errors import BadInput, check_integer, option_name, settings_in_words, shown, shown_setting
from hebbarium.tools.files import replacing
from hebbarium.tools.npz import Arrays, Damaged, reading, save_arrays
from hebbarium.worlds.base import World

FORMAT = 1
TABLE = "atlas.npz"
"""The file of one in a run's folder."""
SHIPPED = Path(__file__).parents[2] / "data"
Z = 1.96
"""Two rules' order is taken as settled where their difference is this many standard errors: 95 % for each pair."""


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
        """The survey's etas."""
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
        """The rule of a row of the atlas, as it lives."""
        rule = Rule(int(self.rules[row]))
        return LayeredRule(None, rule) if self.layers == "output" else rule

    @property
    def complete(self) -> bool:
        """Whether the atlas holds every rule there is."""
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
        """int64 [rule]: the rank of each rule of the atlas; 1 is best."""
        ranks = np.empty(len(self), np.int64)
        ranks[self.order] = np.arange(1, len(self) + 1)
        return ranks

    def rank(self, rule: Rule) -> int | None:
        """The rule's rank in the atlas; None for a rule that a sample lacks."""
        (found,) = np.nonzero(self.rules == rule.index)
        return int(self.ranks[found[0]]) if len(found) else None

    def edge(self, row: int) -> str:
        """`lowest` or `highest` where the best eta stands at that end of those tried, so that a better one may lie
        beyond."""
        return "lowest" if np.isnan(self.eta_low[row]) else "highest" if np.isnan(self.eta_high[row]) else ""

    def row(self, index: int) -> dict[str, Any]:
        """One row of the atlas's table, as plain values."""
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
    """Refuse a file whose values have other types. kinds: the type, or types, that each value must have."""
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


RUNS = Path("runs")
_named: dict[str, AtHand] = {}
"""By task: those that the user asked for, for as long as the process lives."""


@dataclass(frozen=True)
class AtHand:
    atlas: Atlas
    where: str
    """In words."""

    def differs(self, world: World, *lived: Ways, here: str = "here") -> str:
        """All settings that it was not made with, such as `season-steps 5000 (here 500)`.

        lived: how networks live; none for the usual brain, with as many hidden neurons as the atlas has. here: the
        word before the values of those"""
        about = self.atlas.about
        # Settings that are newer than the atlas, or were as usual, do not stand in it.
        made = {field.name: about["world"].get(field.name, field.default) for field in dataclasses.fields(world)}
        usual: dict[str, Any] = vars(Brain.of(world)) | {"hidden": about["hidden"], "blame": {}, "eligibility": {}}
        made |= usual | {name: about[name] for name in WAYS if name in about}
        ours = [
            vars(ways.world) | vars(ways.brain) | {"blame": ways.blame, "eligibility": ways.eligibility}
            for ways in lived
        ] or [vars(world) | usual]
        texts = {
            name: (shown_setting(value), [shown_setting(one[name]) for one in ours]) for name, value in made.items()
        }
        return ", ".join(
            f"{option_name(name)} {its or 'none'} ({here} {', '.join(dict.fromkeys(values)) or 'none'})"
            for name, (its, values) in texts.items()
            if set(values) != {its}
        )

    def fits(self, world: World) -> bool:
        """Whether it is of just this world, with the usual brain; its hidden neurons may be others."""
        same = all(self.atlas.about.get(name) == value for name, value in world.about().items())
        return same and not self.differs(world)


def use_atlas(path: str | os.PathLike[str]) -> AtHand:
    """Take etas and ranks on its task from this atlas until the process ends.

    path: a run's folder or its `atlas.npz`. Returns the atlas, and what it is called in messages."""
    path = Path(path)
    atlas = Atlas.load(path / TABLE if path.is_dir() else path)
    if not atlas.complete or atlas.layers != "same":
        raise BadInput(f"the atlas {path} is not of all rules for both layers, so it says nothing of most rules.")
    _named[atlas.task] = AtHand(atlas, f"the atlas {path}")
    return _named[atlas.task]


def at_hand(world: World) -> AtHand | None:
    """The atlas to take figures on a world from: one that was named, the package's or one made here, if it fits the
    world, and otherwise the package's of the task; None where there is none."""
    if world.name in _named:
        return _named[world.name]
    known = shipped(world.name)
    usual = None if known is None else AtHand(known, "the atlas")
    if usual is not None and usual.fits(world):
        return usual
    for path in sorted(RUNS.glob(f"*/{TABLE}")):
        atlas = _loaded(path.resolve(), path.stat().st_mtime_ns)
        if atlas is not None and atlas.complete and atlas.layers == "same":
            own = AtHand(atlas, f"the atlas {path.parent}")
            if own.fits(world):
                return own
    return usual


@functools.lru_cache(maxsize=8)
def _loaded(path: Path, written: int) -> Atlas | None:
    """Read once for all rules of a command. written: the file's time, so that a newer one is read."""
    try:
        return Atlas.load(path)
    except BadInput:
        return None  # damaged, or another version's: `hebbarium runs` says so
