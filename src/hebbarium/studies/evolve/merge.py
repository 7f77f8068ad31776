"""Runs of the same settings with other seeds, made on machines that know nothing of each other, become one.

The merged run is one that a single process could have made: it has all runs of all seeds, in the order of the seeds,
and its distinct rules are those of all of them. Every evaluation is checked against the settings on the way.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hebbarium.store.about import check_arithmetic
from hebbarium.store.configuration import differing_settings
from hebbarium.store.records import digest_line
from hebbarium.store.store import Run, Writer
from hebbarium.store.world import Named
from hebbarium.studies.evolve.evolution import KIND, Evolution, asked_for, carry_out
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
        """Of one of its runs, whatever its place."""
        return [digest_line(dataclasses.replace(record, run=0).row()) for record in self.run.evaluations(run=number)]


def merge(
    *runs: str | os.PathLike[str], out: str | os.PathLike[str] | None = None, world: str | World | None = None
) -> Run:
    """One finished run of several: of the same settings, with seeds that no two of them share.

    out: the merged run's folder; `runs/evolve-TASK-merged` unless given.
    world: where the runs were made in a world of one's own, its file or module, or the world itself.
    """
    if len(runs) < 2:
        raise BadInput("merging needs the folders of at least two runs.")
    parts = [Part.open(path, world) for path in runs]
    _check_settings(parts)
    _check_origins(parts)
    parts.sort(key=lambda part: part.evolution.origins)
    evolution = _joined([part.evolution for part in parts])
    folder = evolution.folder if out is None else Path(out)
    _fill(folder, evolution, parts)
    return carry_out(evolution, folder, threads=1)


def _check_settings(parts: Sequence[Part]) -> None:
    first, *others = parts
    for other in others:
        differing = differing_settings(first.evolution.configuration(), other.evolution.configuration(), MAY_DIFFER)
        if differing:
            raise RunError(f"{first.run.folder} and {other.run.folder} cannot be merged: {differing}.")


def _check_origins(parts: Sequence[Part]) -> None:
    """Refuse what two of them have."""
    known: dict[tuple[int, int], tuple[Part, int]] = {}
    for part in parts:
        for run, origin in enumerate(part.evolution.origins):
            if origin in known:
                raise _twice(origin, *known[origin], part, run)
            known[origin] = part, run


def _twice(origin: tuple[int, int], one: Part, run: int, other: Part, other_run: int) -> RunError:
    both, what = f"{one.run.folder} and {other.run.folder}", f"run {origin[1]} of seed {origin[0]}"
    if one.digest_lines(run) == other.digest_lines(other_run):
        return RunError(f"{both} both have {what}; leave one of them out.")
    return RunError(f"{both} contradict each other: {what} has different evaluations in each; run it again.")


def _joined(evolutions: Sequence[Evolution]) -> Evolution:
    seeds = tuple(seed for evolution in evolutions for seed, _ in evolution.origins)
    return dataclasses.replace(evolutions[0], seed=seeds, runs=len(seeds))


def _fill(folder: Path, evolution: Evolution, parts: Sequence[Part]) -> None:
    """All evaluations, run by run, so that a merge that was killed goes on."""
    with Writer.begin(folder, KIND, evolution.configuration()) as writer:
        there = {run for _, run, _ in writer.names()}
        for number, (part, run) in enumerate(_places(parts)):
            if number not in there:
                writer.save([dataclasses.replace(record, run=number) for record in part.run.evaluations(run=run)])


def _places(parts: Sequence[Part]) -> Iterator[tuple[Part, int]]:
    """Where each run of the merged one is found."""
    for part in parts:
        for run in range(part.evolution.runs):
            yield part, run
