"""Settings of the learners, in plain Python: importing them stays cheap, for `--help`."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

from hebbarium.tools.errors import check_choice, check_number

TOLD = ("signal", "counts")


@dataclass(frozen=True, kw_only=True)
class Learning:
    """How the tabular and the linear agent learn. Instances are checked."""

    step_size: float = 0.5
    """The tabular and the linear agent's step size: how much of an error they correct at each step, from 0 to 1."""
    discount: float = 0.0
    """How much the value of the next step counts for them, from 0 to 1."""
    told: Literal["signal", "counts"] = "signal"
    """What they learn from: the world's reinforcement signal, or only what is counted, as it counts for the fitness."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "step_size", check_number("step_size", self.step_size, 0, 1))
        object.__setattr__(self, "discount", check_number("discount", self.discount, 0, 1))
        check_choice("told", self.told, TOLD)

    @property
    def settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in LEARNING}


LEARNING = tuple(field.name for field in dataclasses.fields(Learning))
