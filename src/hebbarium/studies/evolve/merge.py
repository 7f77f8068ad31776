"""Runs of the same settings with other seeds, made on machines that know nothing of each other, become one.

The merged run is one that a single process could have made: it has all runs of all seeds, in the order of the seeds,
and its distinct rules are those of all of them. Every evaluation is checked against the settings on the way.
"""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path

from hebbarium.brains.scalings import check_scaling
from hebbarium.store.about import check_arithmetic, differing_settings
from hebbarium.store.evaluation_rows import digest_line
from hebbarium.store.world_of_run import Named
from hebbarium.store.writing import Run, Writer
from hebbarium.studies.evolve.study import KIND, Evolution, asked_for, carry_out
from hebbarium.tools.errors import BadInput, RunError
from hebbarium.worlds.base import World

MAY_DIFFER = ("runs", "seed")


@dataclass(frozen=True)
class Part:
    """A run that is to be merged."""

    run: Run
    evolution: Evolution

    @classmethod
    def open(cls, path: str | os.PathLike[str], world: Named | None) -> Part:
        run = Run.open(path)
        if run.kind != KIND:
            raise RunError(f"{run.folder} holds a run of `{run.kind}`; only runs of `{KIND}` can be merged.")
        if run.finished is None:
            raise RunError(f"{run.folder} is not finished; rerun the command that started it, then merge.")
        check_arithmetic(run.folder, run.arithmetic, run.versions.get("hebbarium", "unknown"))
        return cls(run, asked_for(run, world))

    def digest_lines(self, number: int) -> list[str]:
        """Of one of its runs, the same wherever it stands."""
        return [digest_line(dataclasses.replace(record, run=0).row()) for record in self.run.evaluations(run=number)]


def merge(
    *runs: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    world: str | World | None = None,
    scaling: str | None = None,
) -> Run:
    """Merge finished runs of the same settings, with seeds that no two of them share, into one.

    out: the merged run's folder; `runs/evolve-TASK-merged` unless given.
    world: where the runs were made in a user's own world, its file or module, or the world itself.
    scaling: likewise the file of a user's own scaling.
    Returns the merged run.
    """
    if len(runs) < 2:
        raise BadInput("merging needs the folders of at least two runs.")
    if scaling is not None:
        check_scaling(scaling)
    parts = [Part.open(path, world) for path in runs]
    first, *others = parts
    for other in others:
        differing = differing_settings(first.evolution.configuration(), other.evolution.configuration(), MAY_DIFFER)
        if differing:
            raise RunError(f"{first.run.folder} and {other.run.folder} cannot be merged: {differing}.")
    known: dict[tuple[int, int], tuple[Part, int]] = {}
    for part in parts:
        for run, origin in enumerate(part.evolution.origins):
            one, one_run = known.setdefault(origin, (part, run))
            if one is part:
                continue
            both, what = f"{one.run.folder} and {part.run.folder}", f"run {origin[1]} of seed {origin[0]}"
            if one.digest_lines(one_run) == part.digest_lines(run):
                raise RunError(f"{both} both have {what}; leave one of them out.")
            raise RunError(f"{both} contradict each other: {what} has different evaluations in each; run it again.")
    parts.sort(key=lambda part: part.evolution.origins)
    seeds = tuple(seed for part in parts for seed, _ in part.evolution.origins)
    evolution = dataclasses.replace(parts[0].evolution, seed=seeds, runs=len(seeds))
    folder = evolution.folder if out is None else Path(out)
    places = [(part, run) for part in parts for run in range(part.evolution.runs)]
    with Writer.begin(folder, KIND, evolution.configuration()) as writer:
        there = {run for _, run, _ in writer.names()}  # of a merge that was killed
        for number, (part, run) in enumerate(places):
            if number not in there:
                writer.save([dataclasses.replace(record, run=number) for record in part.run.evaluations(run=run)])
    return carry_out(evolution, folder, threads=1)
