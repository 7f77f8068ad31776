"""Which atlas etas and ranks are taken from: one that was named, one made here, or the one of the package."""

from __future__ import annotations

import dataclasses
import functools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hebbarium.brains.base import Brain
from hebbarium.experiment import WAYS, Ways
from hebbarium.studies.atlas.table import TABLE, Atlas, shipped
from hebbarium.tools.errors import BadInput, option_name, shown_setting
from hebbarium.worlds.base import World

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
