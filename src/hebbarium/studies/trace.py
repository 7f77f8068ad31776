"""One life, written down as it is lived: every step, and the network every so often."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from hebbarium.brains.network_files import Networks, given_networks
from hebbarium.brains.sizes import Hidden
from hebbarium.executors.base import run
from hebbarium.executors.memory import room
from hebbarium.experiment import Experiment, suggesting
from hebbarium.life.batch import Batch, TraceRoom
from hebbarium.life.observers import Observer, Room, every
from hebbarium.rules.layered import RuleLike
from hebbarium.rules.rule import AnyRule
from hebbarium.show.pages import Line, line_chart
from hebbarium.show.pages.colours import season_colour
from hebbarium.show.pages.skeleton import notebook, picture
from hebbarium.studies.live import experiment_of
from hebbarium.tools.data_frames import data_frame
from hebbarium.tools.errors import BadInput, check_choice, check_integer, check_seed, check_switch
from hebbarium.worlds.base import World
from hebbarium.worlds.seasons import Calendar, calendar_of

_STEP = "step "
"""Before the name of a column with a row for each step, among what is seen."""

COLOURS = ("green", "blue", "grey", "first", "second", "third")
SHOWN = 200
"""Snapshots that make a curve."""


@dataclass(frozen=True, repr=False)
class Trace:
    """One life. Snapshots are taken at birth, every `every` steps and at the end."""

    task: World
    rule: AnyRule
    hidden: Hidden
    """Hidden neurons."""
    seed: int
    trial: int
    frozen: bool
    """Whether it was lived without plasticity."""
    steps: SimpleNamespace
    """Arrays with one row per step of the life; empty without `keep_steps`: senses, action, random, reinforcement,
    association, and what the world notes of itself, such as position, direction and sensed."""
    lived: np.ndarray
    """int64 [snapshot]: steps lived when the snapshot was taken; 0 is birth."""
    counts: np.ndarray
    """int64 [snapshot, count]: everything counted since birth, in the order of `task.counts`."""
    distinct_hidden: np.ndarray
    """int64 [snapshot]: hidden neurons with different incoming weights."""
    weights: tuple[np.ndarray, ...] | None
    """float64 [snapshot, post, pre] of each layer, the output layer being the last; None where they were not kept."""
    eta_source: str | None = None
    """Where the eta comes from, as in `Lives`."""
    experiment: Experiment | None = None
    """What was lived."""

    @property
    def calendar(self) -> Calendar:
        """When its seasons came, and which."""
        return calendar_of(self.task, self.seed, self.trial)

    @property
    def hidden_weights(self) -> np.ndarray | None:
        """float64 [snapshot, post, pre]: from inputs and bias (the last) to the (first) hidden neurons."""
        return None if self.weights is None else self.weights[0]

    @property
    def output_weights(self) -> np.ndarray | None:
        """float64 [snapshot, post, pre]: from the (last) hidden neurons and bias (the last) to the outputs."""
        return None if self.weights is None else self.weights[-1]

    def frame(self, what: str = "steps") -> Any:
        """A row for each of the `steps`, or of the `snapshots`; polars or pandas, whichever is installed."""
        check_choice("table", what, ("steps", "snapshots"))
        if what == "snapshots":
            counts = {name: self.counts[:, place] for place, name in enumerate(self.task.counts)}
            return data_frame({"step": self.lived, **counts, "distinct_hidden": self.distinct_hidden})
        if not vars(self.steps):
            raise BadInput(
                "this trace has no steps, because it was made with keep_steps=False; frame('snapshots') works."
            )
        spans = self.calendar.spans()
        seasons = np.repeat([place for place, _, _ in spans], [end - start for _, start, end in spans])
        return data_frame({"step": np.arange(self.task.steps), "season": seasons, **vars(self.steps)})

    def _repr_html_(self) -> str:
        """What was counted since birth, the seasons behind it; the life is lived again where it has few snapshots."""
        every, finer = max(1, self.task.steps // SHOWN), self
        if len(self.lived) < SHOWN and self.experiment is not None:
            finer = trace_experiment(self.experiment, self.trial, every=every, keep_steps=False, keep_weights=False)
        lines = [
            Line(name, finer.lived, finer.counts[:, place], COLOURS[place % len(COLOURS)])
            for place, name in enumerate(self.task.counts)
        ]
        kinds = self.task.season_kinds
        seasons = [(start, end, season_colour(kinds[place])) for place, start, end in self.calendar.spans()]
        chart = line_chart(lines, title="One life", x_label="step", y_label="counted since birth", seasons=seasons)
        words = f"{self.task.label}, rule {self.rule.short_text}, seed {self.seed}, trial {self.trial}"
        return notebook(words, picture(chart, "Counts since birth over one life"))

    def __repr__(self) -> str:
        return f"Trace({self.task.label}, rule {self.rule.short_text}, seed {self.seed}, trial {self.trial})"


@suggesting
def trace(
    task: str | World = "foraging",
    rule: RuleLike | None = None,
    *,
    trial: int = 0,
    every: int | None = None,
    networks: Networks | str | os.PathLike[str] | None = None,
    keep_steps: bool = True,
    keep_weights: bool = True,
    **settings: Any,
) -> Trace:
    """Live one life and write it down: the very life that `live` lives as that trial of that seed.

    trial: which life of the seed, from 0.
    every: steps between snapshots; without it one season.
    networks: as in `live`. The life begins with the one of its trial.
    keep_steps, keep_weights: whether the trace has every step, and the weights of every snapshot.
    settings: as in `live`: eta, hidden, seed (1), frozen, blame, eligibility, and those of the brain and of the world.
    Returns arrays with a row for each step and for each snapshot (see `Trace`).

    >>> life = trace("foraging", "foraging:1", seed=7, season_steps=500)
    >>> life.steps.action.shape, life.hidden_weights.shape
    ((2000,), (5, 20, 7))
    """
    born = given_networks(networks)
    if born is not None:  # the one that lives this trial
        check_integer("trial", trial, 0, len(born) - 1)
        born = born[trial : trial + 1]
    experiment = experiment_of(task, rule, networks=born, **({"lifetimes": 1} | settings))
    return trace_experiment(experiment, trial, every=every, keep_steps=keep_steps, keep_weights=keep_weights)


def trace_experiment(
    experiment: Experiment,
    trial: int = 0,
    *,
    every: int | None = None,
    keep_steps: bool = True,
    keep_weights: bool = True,
) -> Trace:
    """One life of an experiment, written down; see `trace` for the arguments."""
    trial = check_seed(trial, "trial")
    keep_steps, keep_weights = check_switch("keep_steps", keep_steps), check_switch("keep_weights", keep_weights)
    world, brain = experiment.world, experiment.brain
    networks = None if experiment.networks is None else experiment.networks[:1]
    experiment = dataclasses.replace(experiment, lifetimes=1, networks=networks)
    every = world.season_steps if every is None else check_integer("every", every, 1)
    tracing = Tracing(every, keep_steps, keep_weights)
    lived = np.array(tracing.moments(world), np.int64)
    a_step = 16 + 2 * world.all_inputs if keep_steps else 0
    a_snapshot = 8 * (len(world.counts) + 2 + (brain.weights(world.all_inputs, world.outputs) if keep_weights else 0))
    if world.steps * a_step + len(lived) * a_snapshot > room():
        raise BadInput(
            f"a trace of {world.steps} steps with {len(lived)} snapshots would not fit in memory; "
            "take fewer steps, or fewer snapshots with a larger every."
        )
    (seen,) = run(1, world, brain, experiment.jobs(trial), [tracing], networks=experiment.networks).seen
    columns = {name.removeprefix(_STEP): seen[name][0] for name in seen if name.startswith(_STEP)}
    return Trace(
        task=world,
        rule=experiment.rule,
        hidden=brain.hidden,
        seed=experiment.seed,
        trial=trial,
        frozen=experiment.frozen,
        steps=SimpleNamespace(**columns),
        lived=lived,
        counts=seen["counts"][0],
        distinct_hidden=seen["distinct"][0],
        weights=tuple(layer[0] for layer in Networks.of_names(world.name, seen).layers) if keep_weights else None,
        eta_source=experiment.eta_source,
        experiment=experiment,
    )


@dataclass(frozen=True)
class Tracing(Observer):
    """Writes a life down: at birth, every so often and at the end counts, distinct hidden neurons and, where they are
    kept, weights, each [lifetime, moment, ...]; and where they are kept all steps, [lifetime, step, ...]."""

    every: int
    keep_steps: bool
    keep_weights: bool
    alone = True

    def moments(self, world: World) -> Sequence[int]:
        return [0, *every(self.every, world)]

    def see(self, batch: Batch, room: Room) -> None:
        if batch.step == 0 and self.keep_steps:
            batch.trace = TraceRoom(batch.world, 0, batch.world.steps)
        seen = {"counts": batch.counts.sum(axis=0), "distinct": batch.distinct_hidden()}
        if self.keep_weights:
            seen |= batch.networks().by_name()
        moments = -(-batch.world.steps // self.every) + 1
        for name, column in seen.items():
            if batch.step == 0:  # room for all moments at once: they may be as many as the steps
                room[name] = np.zeros((len(column), moments, *column.shape[1:]), column.dtype)
            room[name][:, -(-batch.step // self.every)] = column
        if batch.trace is not None and batch.step == batch.world.steps:
            room.update({f"{_STEP}{name}": column[None] for name, column in batch.trace.columns().items()})
