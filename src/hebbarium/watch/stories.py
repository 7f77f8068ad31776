"""Ready links, each with two sentences on what to look for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Story:
    title: str
    words: str
    wish: dict[str, Any]
    """What the address says; `speed` is in steps a second, 0 for as many as possible."""


_BLAME = {
    "open-turn": 0.09,
    "wall-hit": 0.15,
    "beside-wall": 0.06,
    "taken": 0.5,
    "wall-turn": -0.26,
    "3": 0.02,
    "open-straight": 0.0,
}
"""Of the best rule known with 20 neurons, the one with fewer numbers (docs/findings.md)."""

STORIES = (
    Story(
        "It learns and relearns",
        "A random brain soon collects green and avoids blue. After ten seconds winter comes, and blue items are "
        "the good ones: watch it take the wrong items for a while, be punished, and relearn.",
        {"task": "foraging", "rule": "00+-/0000@0.0375", "seed": 7, "speed": 500},
    ),
    Story(
        "Graded blame",
        "The same newborn brain with a rule for each layer, and judgements that count more or less (Blame and "
        "eligibility, below). In four seasons its mean fitness is 61 instead of 50, well above the best plain rule.",
        {"task": "foraging", "rule": "00+-/0000@0.013,00+-/000+@0.16", "seed": 7, "speed": 500, "stop": 4}
        | {"blame": _BLAME, "eligibility": {"missed": 0.3}},
    ),
    Story(
        "Twenty neurons become one",
        "This rule acts on reward, too, so the weights change at nearly every step. Watch the rows of the left heat "
        "map become the same, until after a few hundred steps all 20 hidden neurons are the same.",
        {"task": "foraging", "rule": "-++-/--++@0.0118", "seed": 9, "speed": 60},
    ),
    Story(
        "A rule that ages",
        "The best rule of all, fast-forwarded through 32 seasons. Its bars shrink: in the last seasons sixteen brains "
        "collect about half as much as in the first.",
        {"task": "foraging", "rule": "00+-/0000@0.0375", "seed": 1, "speed": 10000, "brains": 16, "stop": 32},
    ),
    Story(
        "Caught between two walls",
        "Without random actions this brain soon walks back and forth between two walls forever: no step is punished, "
        "so nothing changes. The next story has the same brain and a few random actions.",
        {"task": "foraging", "rule": "00+-/0000@0.0375", "seed": 6, "speed": 200, "random_action": "0"},
    ),
    Story(
        "Freed by a random step",
        "The same brain, but one action in 500 is random. It is caught between the same two walls from step 400 on, "
        "until around step 720 a random turn sets it free and it collects items again.",
        {"task": "foraging", "rule": "00+-/0000@0.0375", "seed": 6, "speed": 200, "random_action": "0.002"},
    ),
    Story(
        "Prey and predators",
        "Prey flee, predators chase, and in winter they swap colours. Within the first fifty steps all 50 hidden "
        "neurons become one: only a single feature is left, yet the agent still catches prey now and then.",
        {"task": "prey-predator", "rule": "0-+0/+-00@0.42", "seed": 9, "speed": 60},
    ),
)
