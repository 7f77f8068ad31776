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
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.errors import BadInput
from hebbarium.rule import Rule

FORMAT = 1
SHIPPED = Path(__file__).parent.parent / "data"


@dataclass(frozen=True)
class Atlas:
    """What is known of every rule of a task, by index."""

    about: dict[str, Any]
    """task, hidden, seed, etas, world, lifetimes, digest."""
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
    def complete(self) -> bool:
        """Whether it holds every rule there is."""
        return len(self) == 3**8

    @functools.cached_property
    def order(self) -> np.ndarray:
        """int64 [rank]: indices of the rules, best first."""
        order: np.ndarray = np.argsort(-self.mean, kind="stable")
        return order

    @functools.cached_property
    def ranks(self) -> np.ndarray:
        """int64 [rule]: 1 is best."""
        ranks = np.empty(len(self), np.int64)
        ranks[self.order] = np.arange(1, len(self) + 1)
        return ranks

    def rank(self, rule: Rule) -> int | None:
        return int(self.ranks[rule.index]) if rule.index < len(self) else None

    def row(self, index: int) -> dict[str, Any]:
        """One rule's line in the table, as plain values."""
        return {
            "rank": int(self.ranks[index]),
            "rule": Rule(index).notation,
            "rank_interval": [int(self.rank_first[index]), int(self.rank_last[index])],
            "eta": float(self.eta[index]),
            "mean": float(self.mean[index]),
            "sem": float(self.sem[index]),
            "lifetimes": int(self.lifetimes[index]),
            "distinct_hidden": round(float(self.distinct[index]), 3),
            "kinds_of_hidden": round(float(self.kinds[index]), 3),
        }

    def top(self, count: int) -> list[dict[str, Any]]:
        return [self.row(int(index)) for index in self.order[:count]]

    def to_bytes(self) -> bytes:
        file = io.BytesIO()
        arrays = {name: getattr(self, name) for name in _COLUMNS}
        np.savez_compressed(file, about=json.dumps({"format": FORMAT, **self.about}), **arrays)
        return file.getvalue()

    def save(self, path: str | os.PathLike[str]) -> None:
        target = Path(path)
        part = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            part.write_bytes(self.to_bytes())
            part.replace(target)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise BadInput(f"cannot save the atlas to {target}: {error.strerror or error}.") from None

    @classmethod
    def of(cls, task: str) -> Atlas:
        """The atlas of a task that comes with the package."""
        found = shipped(task)
        if found is None:
            raise BadInput(f"no atlas of {task} comes with the package; `hebbarium atlas {task}` makes one.")
        return found

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Atlas:
        try:
            with np.load(path, allow_pickle=False) as file:
                about = json.loads(str(file["about"]))
                atlas = cls(about, **{name: file[name] for name in _COLUMNS})
        except OSError as error:
            raise BadInput(f"cannot read an atlas from {path}: {error.strerror or 'not an .npz file'}.") from None
        except (ValueError, KeyError, EOFError, zipfile.BadZipFile):
            raise BadInput(f"{path} does not hold an atlas saved by hebbarium atlas.") from None
        if about.get("format") != FORMAT:
            raise BadInput(f"the atlas {path} has format {about.get('format')}, but this version reads {FORMAT}.")
        return atlas


_COLUMNS = (
    "eta",
    "eta_low",
    "eta_high",
    "mean",
    "sem",
    "lifetimes",
    "rank_first",
    "rank_last",
    "distinct",
    "kinds",
    "survey_mean",
    "survey_distinct",
)


@functools.cache
def shipped(task: str) -> Atlas | None:
    """The atlas of a task that comes with the package, if there is one."""
    path = SHIPPED / f"atlas-{task}.npz"
    return Atlas.load(path) if path.is_file() else None
