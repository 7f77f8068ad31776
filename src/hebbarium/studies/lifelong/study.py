"""A study of long lives: some rules and agents on the same seeds, resumable, with every measure."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.agents.learner_settings import LEARNING
from hebbarium.agents.registry import make_agent, make_agents
from hebbarium.executors.base import Executor
from hebbarium.experiment import Experiment, check_lifetimes, suggesting
from hebbarium.rules.layered import RuleLike
from hebbarium.show.pages import table
from hebbarium.show.pages.skeleton import notebook
from hebbarium.store.kept_arrays import Arrays
from hebbarium.studies.choosing_eta import Chosen, rule_to_live_by
from hebbarium.studies.compare import named
from hebbarium.studies.engine import Kernels, Lab, Study, Work, carry_out
from hebbarium.studies.lifelong import measures, works
from hebbarium.studies.lifelong.long_life import Lived, LongLife, Unlearned
from hebbarium.studies.lifelong.page import study_html
from hebbarium.studies.lifelong.works import AGENTS, WINDOW, Subject, agent_subject, newborn, rule_subject
from hebbarium.studies.live import experiment_of
from hebbarium.tools.data_frames import data_frame
from hebbarium.tools.errors import BadInput, check_integer
from hebbarium.tools.fields import take
from hebbarium.tools.files import write_text
from hebbarium.tools.progress import Telling
from hebbarium.worlds.base import World

SEASONS, LIFETIMES = 32, 200
PAGE = "lifelong.html"


@dataclass(frozen=True)
class LifelongStudy(Study["Lifelong"]):
    """A study of long lives to be lived; checked."""

    experiment: Experiment
    """How all of them live: world, brain, lifetimes, seed; frozen."""
    subjects: Sequence[Subject]

    kind = "lifelong"
    doing = "long lives"
    unit = "million steps"

    @property
    def world(self) -> World:
        return self.experiment.world

    @property
    def rules(self) -> list[Chosen]:
        return [subject.chosen for subject in self.subjects if subject.chosen is not None]

    def configuration(self) -> dict[str, Any]:
        """Further rules and agents may be added to a run later, so who lives is not part of it."""
        experiment = self.experiment
        return {
            **self.world.about(),
            "hidden": experiment.hidden,
            "lifetimes": experiment.lifetimes,
            "seed": experiment.seed,
            "world": self.world.settings(),
            "life": {
                name: value
                for name, value in experiment.changed_settings().items()
                if name not in self.world.settings()
            },
        }

    @property
    def folder(self) -> Path:
        return Path("runs") / f"{self.kind}-{self.world.label}-{self.experiment.seed}"

    @functools.cached_property
    def size(self) -> float:
        """Asked for at every report of progress, so found once."""
        return sum(work.size for work in self.works())

    def kernels(self) -> list[Kernels]:
        agents = [make_agent(name) for name in AGENTS if any(one.name.startswith(name) for one in self.subjects)]
        return [Kernels.of(self.experiment, [chosen.rule for chosen in self.rules], agents)]

    def reduce(self, lab: Lab) -> Lifelong:
        """Get the long lives of all subjects, and of those that learn nothing to compare with."""
        digest = hashlib.sha256()

        def fetch(work: Work) -> Arrays:
            arrays = lab.fetch(work)
            digest.update(arrays["counts"].astype("<i8").tobytes())
            return arrays

        unlearned = Unlearned.of(self.world, self.experiment.jobs(), *map(fetch, self.unlearned()))
        lives = [LongLife(subject, Lived.of(subject, fetch), unlearned) for subject in self.subjects]
        return Lifelong(self, lives, digest.hexdigest())

    def publish(self, result: Lifelong, lab: Lab) -> None:
        result.save_page(lab.folder / PAGE)
        lifetimes = self.experiment.lifetimes * len(self.works())
        lab.save(results={"lifetimes": lifetimes})

    @property
    def young_and_late(self) -> tuple[str, str]:
        """Which seasons these are, such as 1 to 4 and 29 to 32."""
        seasons, span = self.world.seasons, measures.span_of(self.world.seasons)
        return f"1 to {span}", f"{seasons - span + 1} to {seasons}"

    def unlearned(self) -> tuple[Work, Work]:
        """The random agent, and the newborn networks."""
        random = agent_subject("random", self.world, self.experiment.lifetimes, self.experiment.seed)
        return works.first(random), works.first(newborn(self.experiment))

    def works(self) -> list[Work]:
        return [*self.unlearned(), *(work for subject in self.subjects for work in works.works_of(subject))]


@dataclass(frozen=True, repr=False)
class Lifelong:
    """What `hebbarium lifelong` shows."""

    plan: LifelongStudy
    lives: Sequence[LongLife]
    digest: str
    """SHA-256 of the counts of all works, the same for any number of threads or machines."""

    def __getitem__(self, place: int) -> LongLife:
        return self.lives[place]

    def __len__(self) -> int:
        return len(self.lives)

    def summary(self) -> dict[str, Any]:
        """What `hebbarium lifelong --json` prints."""
        plan, world = self.plan, self.plan.world
        return {
            "task": world.label,
            "hidden": plan.experiment.hidden,
            "lifetimes": plan.experiment.lifetimes,
            "seed": plan.experiment.seed,
            "settings": plan.experiment.changed_settings(),
            "seasons": list(world.season_names),
            "kinds": list(world.kinds),
            "window": WINDOW,
            "rules": [life.summary() for life in self.lives if life.subject.chosen is not None],
            "agents": [life.summary() for life in self.lives if life.subject.chosen is None],
            "digest": self.digest,
        }

    def frame(self) -> Any:
        """A row for each life and season of each rule; polars or pandas, whichever is installed."""
        many, seasons = self.plan.experiment.lifetimes, self.plan.world.seasons
        each = many * seasons
        return data_frame({
            "name": [life.subject.name for life in self.lives for _ in range(each)],
            "lifetime": np.tile(np.repeat(np.arange(many), seasons), len(self)),
            "season": np.tile(np.arange(1, seasons + 1), len(self) * many),
            "fitness": np.concatenate([life.lived.fitness.ravel() for life in self.lives]),
        })  # fmt: skip

    def __repr__(self) -> str:
        names = ", ".join(life.subject.name for life in self.lives)
        return f"Lifelong({self.plan.world.label}, {names}, {self.plan.world.seasons} seasons)"

    def _repr_html_(self) -> str:
        """What Jupyter shows: fitness when young and late."""
        columns = ("", *(f"seasons {seasons}" for seasons in self.plan.young_and_late), "late / young")
        rows = []
        for life in self.lives:
            cells = []
            for one in (life.young, life.late, life.late_over_young):
                low, high = ("?" if end is None else f"{end:z.2f}" for end in (one.low, one.high))
                cells.append("-" if one.value is None else f"{one.value:z.2f} ({low} to {high})")
            rows.append((life.subject.name, *cells))
        experiment = self.plan.experiment
        words = f"{experiment.lifetimes} lifetimes, seed {experiment.seed}; mean fitness (95 % interval)"
        return notebook(f"{self.plan.world.label}, {self.plan.world.seasons} seasons, {words}", table(columns, rows))

    def save_page(self, path: str | os.PathLike[str]) -> None:
        write_text(path, study_html(self))


@suggesting
def lifelong(
    task: str | World,
    *rules: RuleLike,
    agents: Sequence[str] = (),
    threads: Executor | int | None = None,
    out: str | os.PathLike[str] | None = None,
    done: Callable[[float], object] | None = None,
    **settings: Any,
) -> Lifelong:
    """Let rules live long, all on the same seeds, and measure recovery, savings, forgetting, ageing and tempo.

    task: a name, which lives 32 seasons unless `seasons` says otherwise, or a World as it is.
    agents: `perfect`, `random`, `tabular`, `linear`, the last two with `step_size`, `discount` and `told`.
    threads: as in `live`.
    out: a folder in which the work is kept, and a page; a study that was stopped resumes there.
    done: called with how many million steps more are done.
    settings: as in `live`: hidden, lifetimes (200), seed (1), blame, eligibility, and those of the brain and of the
    world; and eta, for rules without one of their own.
    Returns every measure of each rule and agent, in their order.

    >>> study = lifelong("foraging", "foraging:1", lifetimes=4, seasons=4, season_steps=500)
    >>> study[0].lived.fitness.shape
    (4, 4)
    """
    return carry_out(plan_of(task, rules, agents, **settings), out, threads=threads, report=Telling(done))


def plan_of(
    task: str | World,
    rules: Sequence[RuleLike],
    agents: Sequence[str] = (),
    *,
    eta: float | None = None,
    lifetimes: int = LIFETIMES,
    **settings: Any,
) -> LifelongStudy:
    """What makes no sense or would not fit in memory is refused at once. settings: as in `experiment_of`"""
    if not rules and not agents:
        raise BadInput("a rule is missing: give one or more, such as foraging:1 foraging:2.")
    if isinstance(task, str):
        settings.setdefault("seasons", SEASONS)
    lifetimes = check_integer("lifetimes", lifetimes, 2)
    learning = take(settings, LEARNING)
    make_agents(agents, **learning)  # refused before anything else is made
    usual = experiment_of(task, frozen=True, lifetimes=lifetimes, **settings)
    world = usual.world
    by_name = named([rule_to_live_by(world, rule, eta, own_first=True) for rule in rules])
    subjects = [rule_subject(name, chosen, usual) for name, chosen in by_name.items()]
    subjects += [agent_subject(name, world, lifetimes, usual.seed, **learning) for name in dict.fromkeys(agents)]
    check_lifetimes(world, lifetimes, len(subjects) * -(-world.season_steps // WINDOW))
    return LifelongStudy(usual, subjects)
