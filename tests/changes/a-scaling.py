"""Brains with it are those of the plain twin, to the last bit; help names it."""

from brains.test_general import check_twins
from commands import printed
from naive_general import NaiveBrain


def scale(self: NaiveBrain, number: int, did: list[float]) -> None:
    layer, rows = self.weights[number], self._rows(number, ("unscaled", "fixed", "none"))
    for post in range(len(did)):
        largest = max((abs(layer[pre][post]) for pre in range(rows)), default=0.0)
        for pre in range(rows if largest > 0 else 0):
            layer[pre][post] /= largest


NaiveBrain._scale = scale
check_twins(("sign", "longest", "first"), 7, 20)
assert "longest" in printed(
    ["live", "foraging", "--rule", "foraging:1", "--lifetimes", "1", "--scaling", "nonsense"], code=2
)
