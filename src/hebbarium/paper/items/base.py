"""What every item is: a description of what to run, and a reduction of what was stored.

To add one: a file here with a class that derives from `Item`, and one line in `items/__init__.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from hebbarium.paper.verdict import Comparison
from hebbarium.paper.works import Arrays, PaperWork
from hebbarium.show.pages import Markup

Works = Mapping[str, PaperWork]
Results = Mapping[str, Arrays]
"""By the same names as the works."""


@dataclass(frozen=True)
class Scale:
    """How much of the paper's work is run."""

    name: Literal["quick", "paper"]
    words: str
    lives: int
    """Lives for each rule and agent."""
    climbs: int
    """Runs of hill climbing on foraging."""
    hunting_climbs: int
    """Runs of hill climbing on prey-predator."""
    validated: int
    """Lives with frozen tests."""
    test_every: int
    """Steps between frozen tests."""
    traced: int
    """Lives written down step by step."""
    evolutions: int
    """Runs of the genetic algorithm on foraging."""
    hunting_evolutions: int
    """Runs of the genetic algorithm on prey-predator."""
    max_generations: int | None
    """Where a search is cut short."""
    iterations: int = 1000
    """Iterations of hill climbing in a season."""
    reading_climbs: int = 1
    """Runs of hill climbing on each task, for each reading of it."""
    reading_validated: int = 2
    """Lives with frozen tests, for each reading."""

    @property
    def searches_whole(self) -> bool:
        return self.max_generations is None


QUICK = Scale(
    "quick",
    "Quick scale: fewer trials than the paper, so many verdicts are weak, and searches are cut short. For firm "
    "verdicts, run it with --scale paper.",
    lives=24,
    climbs=16,
    hunting_climbs=2,
    validated=4,
    test_every=100,
    traced=3,
    evolutions=2,
    hunting_evolutions=1,
    max_generations=8,
    reading_climbs=2,
    reading_validated=4,
)
PAPER = Scale(
    "paper",
    "Paper scale: the paper's own numbers of trials.",
    lives=100,
    climbs=100,
    hunting_climbs=100,
    validated=100,
    test_every=20,
    traced=20,
    evolutions=30,
    hunting_evolutions=7,
    max_generations=None,
    reading_climbs=20,
    reading_validated=10,
)
SCALES: dict[str, Scale] = {"quick": QUICK, "paper": PAPER}


@dataclass(frozen=True)
class Figure:
    title: str
    panels: Sequence[Markup]
    """Charts, laid out side by side where there is room."""
    caption: str = ""
    layout: Literal["", "narrow"] = ""
    """How much room a panel wants."""


@dataclass(frozen=True)
class PlainTable:
    """A table that the paper does not have."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    more: str = ""
    """Details, folded away."""
    more_title: str = "More"
    words: Sequence[int] = (0,)
    """The columns of words; the others are numbers."""


@dataclass(frozen=True)
class Section:
    """What an item shows."""

    ran: str
    """What was run, with the number of trials."""
    answer: str = ""
    """The result in a sentence, shown first."""
    comparisons: Sequence[Comparison] = ()
    figures: Sequence[Figure] = ()
    tables: Sequence[PlainTable] = ()
    remarks: Sequence[str] = ()
    row_notes: Mapping[str, str] = field(default_factory=dict)
    """A note under a row's name, such as a rule's notation."""


class Item(ABC):
    name: ClassVar[str]
    title: ClassVar[str]
    where: ClassVar[str]
    """Where in the paper: "Table 1"."""
    about: ClassVar[str]
    """What the paper shows there, in a sentence."""
    task: ClassVar[str] = "foraging"
    of_all_readings: ClassVar[bool] = False
    """Whether it compares readings; then it is only in the report of the text's reading."""

    def works(self, scale: Scale, seed: int) -> Works:
        """What `reduce` needs run, by any names."""
        return {}

    @abstractmethod
    def reduce(self, scale: Scale, results: Results) -> Section:
        """results: the arrays of each work, by the same names."""
