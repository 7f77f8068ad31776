"""Brains with it are those of the plain twin, to the last bit; help names it."""

import naive_general
from brains.test_general import check_twins
from commands import printed

naive_general.GRADED["ramp"] = lambda total: min(max(total, 0.0), 1.0)
check_twins(("ramp", "unit", "first"), 7, 20)
assert "ramp" in printed(["evolve", "foraging", "--help-all"])
