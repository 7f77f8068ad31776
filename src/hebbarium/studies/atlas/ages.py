"""Whether rules age: the best rules of an atlas in a life of 32 seasons, at their own eta and at the best one for it.

Kept in one small .npz file (no pickle): `about` as JSON text, and a column for each field of `Ages`.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.rules.rule import RULES
from hebbarium.studies.atlas.table import SHIPPED, Atlas, check_columns, check_kinds, read_about
from hebbarium.tools.errors import BadInput, shown
from hebbarium.tools.files import replacing
from hebbarium.tools.npz import Damaged, reading, save_arrays

FILE = "ages.npz"
"""In the folder of an atlas's run."""
KEPT = 0.9
"""A rule that keeps this much of its young fitness is not called ageing."""
SURE = 3.0
"""Standard errors by which the late fitness lies below the young."""


@dataclass(frozen=True)
class Ages:
    """Fitness when young and when late, on lifetimes that took no part in choosing anything. [rule of the best]"""

    about: dict[str, Any]
    """task, atlas (the digest of the one whose rules and etas these are), hidden, seasons, young and late (first and
    last season of each), seed."""
    rule: np.ndarray
    """int16: index"""
    lifetimes: np.ndarray
    """int16: how many each of the figures rests on"""
    young: np.ndarray
    """float32: at the atlas's eta, the best for a short life"""
    young_sem: np.ndarray
    late: np.ndarray
    """float32: at the same eta"""
    late_sem: np.ndarray
    late_eta: np.ndarray
    """float64: the eta that is best for late seasons"""
    best_young: np.ndarray
    """float32: when young, at that eta"""
    best_young_sem: np.ndarray
    best_late: np.ndarray
    """float32: when late, at that eta"""
    best_late_sem: np.ndarray

    def __len__(self) -> int:
        return len(self.rule)

    def of(self, index: int) -> Age | None:
        """What is known of a rule; None where it is not among the best."""
        (found,) = np.nonzero(self.rule == index)
        if not len(found):
            return None
        row = {name: float(getattr(self, name)[found[0]]) for name in COLUMNS[2:]}
        young, late = self.about["young"], self.about["late"]
        return Age(**row, seasons=(tuple(young), tuple(late)))

    def save(self, path: str | os.PathLike[str]) -> None:
        columns = {name: getattr(self, name) for name in COLUMNS}
        with replacing(path) as part, part.open("wb") as file:
            save_arrays(file, about=json.dumps(self.about), **columns)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Ages:
        """Those in a file; types, shapes and sizes are checked before the columns are read."""
        with reading(path, "the ages of rules", "hebbarium atlas --ages") as arrays:
            about = read_about(arrays)
            check_kinds(about, _ABOUT)
            for name in ("young", "late"):
                if [type(season) for season in about[name]] != [int, int]:
                    raise Damaged(f"its {name} seasons are {shown(about[name])}")
            shape = arrays.declared("rule").shape
            if len(shape) != 1 or not 1 <= shape[0] <= RULES:
                raise Damaged(f"it has rules {list(shape)}, but there are 1 to {RULES:,}")
            check_columns(arrays, dict.fromkeys(COLUMNS, np.float32) | _TYPES, dict.fromkeys(COLUMNS, shape))
            columns = {name: arrays.finite(name) for name in COLUMNS}
            rules = columns["rule"]
            if rules.min() < 0 or rules.max() >= RULES or len(np.unique(rules)) != len(rules):
                raise Damaged("its rules are not indices that occur once each")
            return cls(about, **columns)


COLUMNS = tuple(field.name for field in dataclasses.fields(Ages))[1:]
_TYPES = {"rule": np.int16, "lifetimes": np.int16, "late_eta": np.float64}
"""All others are float32."""
_ABOUT = {"task": str, "atlas": str, "hidden": int, "seasons": int, "young": list, "late": list, "seed": int}


@dataclass(frozen=True)
class Age:
    """One rule of `Ages`."""

    young: float
    young_sem: float
    late: float
    late_sem: float
    late_eta: float
    best_young: float
    best_young_sem: float
    best_late: float
    best_late_sem: float
    seasons: tuple[tuple[int, ...], tuple[int, ...]]
    """First and last, young and late."""

    @property
    def ages(self) -> bool:
        """Whether it loses what it was able to do; one that could do nothing has nothing to lose."""
        fall = self.young - self.late
        return self.late < KEPT * self.young and fall > SURE * float(np.hypot(self.young_sem, self.late_sem))

    def to_json(self) -> dict[str, Any]:
        return {
            "ages": self.ages,
            "young": {"seasons": list(self.seasons[0]), "mean": self.young, "sem": self.young_sem},
            "late": {"seasons": list(self.seasons[1]), "mean": self.late, "sem": self.late_sem},
            "best_late": {"eta": self.late_eta, "mean": self.best_late, "sem": self.best_late_sem},
        }

    def words(self) -> str:
        """
        >>> seasons = ((1, 4), (29, 32))
        >>> print(*Age(48.2, 0.4, 27.0, 0.5, 0.01, 40.0, 0.5, 46.0, 0.4, seasons).words().split(". "), sep="\\n")
        In a long life it ages: 48.2 ± 0.4 in seasons 1 to 4, 27.0 ± 0.5 in seasons 29 to 32
        At eta 0.01 it still scores 46.0 ± 0.4 there.
        """
        young, late = (f"in seasons {first} to {last}" for first, last in self.seasons)
        better = self.best_late - self.late > SURE * float(np.hypot(self.late_sem, self.best_late_sem))
        best = f". At eta {self.late_eta:.3g} it still scores {self.best_late:z.1f} ± {self.best_late_sem:.1f} there"
        return (
            f"In a long life it {'ages' if self.ages else 'does not age'}: {self.young:z.1f} ± {self.young_sem:.1f} "
            f"{young}, {self.late:z.1f} ± {self.late_sem:.1f} {late}{best if better else ''}."
        )


@functools.cache
def shipped_ages(task: str) -> Ages | None:
    """The ages that come with the package, if there are any for the task."""
    path = SHIPPED / f"ages-{task}.npz"
    return Ages.load(path) if path.is_file() else None


def ages_in(folder: Path, atlas: Atlas) -> Ages | None:
    """The ages in a run's folder, if they belong to this atlas."""
    try:
        ages = Ages.load(folder / FILE)
    except BadInput:
        return None
    return ages if ages.about["atlas"] == atlas.about["digest"] else None


def ages_of(atlas: Atlas) -> Ages | None:
    """The ages that come with the package, if they belong to this atlas."""
    ages = shipped_ages(atlas.task)
    return ages if ages is not None and ages.about["atlas"] == atlas.about["digest"] else None
