"""Slippery foraging: a built-in world with one change. Now and then the agent slips and goes straight on.

hebbarium live examples/slippery.py --rule foraging:1 --slip 0.1
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from hebbarium.world import check_number, compiled, draw_unit
from hebbarium.worlds import foraging


@dataclass(frozen=True, kw_only=True)
class Slippery(foraging.Foraging):
    """Foraging on slippery ground."""

    name: ClassVar[str] = "slippery"

    slip: float = 0.1
    """Probability that an action has the effect of going straight on."""

    def check(self):
        super().check()
        check_number("slip", self.slip, 0, 1)

    def constants(self):
        return Constants(super().constants(), self.slip)

    def picture(self, constants, state, i):
        return super().picture(constants.foraging, state, i)


class Constants(NamedTuple):
    foraging: foraging.Constants
    slip: float


# The functions of a world are those of the module that defines its class: what stays as it was is handed on.


@compiled
def begin(constants, state, i, stream):
    foraging.begin(constants.foraging, state, i, stream)


@compiled
def sense(constants, state, i, senses):
    foraging.sense(constants.foraging, state, i, senses)


@compiled
def judge(constants, state, i, season, action, stream):
    return foraging.judge(constants.foraging, state, i, season, action, stream)


@compiled
def act(constants, state, i, season, action, counts, stream):
    if constants.slip > 0 and draw_unit(stream) < constants.slip:
        action = foraging.STRAIGHT
    foraging.act(constants.foraging, state, i, season, action, counts, stream)


@compiled
def choose(constants, state, i, season, stream):
    return foraging.choose(constants.foraging, state, i, season, stream)


@compiled
def note(constants, state, i, notes, t):
    foraging.note(constants.foraging, state, i, notes, t)


if __name__ == "__main__":
    import hebbarium as hb

    print(hb.live(__file__, "00+-/0000@0.0375", lifetimes=20, seed=7))
