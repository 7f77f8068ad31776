"""Normal deviates that are the same on every machine: no logarithm, no exponential, no libm.

Karney's algorithm N (2016, "Sampling exactly from the normal distribution"): every decision compares
uniform numbers with each other or with a constant, so the result is exact up to the uniforms' own 2^-53.
"""

from __future__ import annotations

from hebbarium.kernels.compile import inlined
from hebbarium.kernels.random import draw_unit, draw_word

_EXP_MINUS_HALF = 0.6065306597126334


@inlined
def draw_normal(stream):
    """Mean 0, standard deviation 1."""
    while True:
        whole = 0  # its chance falls by exp(-1/2) with each, to be corrected to exp(-whole^2 / 2)
        while draw_unit(stream) < _EXP_MINUS_HALF:
            whole += 1
        if not _all_below(stream, whole * (whole - 1)):
            continue
        part = draw_unit(stream)
        if _accept(stream, whole, part):
            return whole + part if draw_word(stream) >> 63 else -(whole + part)


@inlined
def _all_below(stream, trials):
    """True with probability exp(-trials / 2)."""
    below = 0
    while below < trials and draw_unit(stream) < _EXP_MINUS_HALF:
        below += 1
    return below == trials


@inlined
def _accept(stream, whole, part):
    """True with probability exp(-part * (2 * whole + part) / 2): von Neumann's falling sequences, whole + 1 of them."""
    chance = (2 * whole + part) / (2 * whole + 2)
    for _ in range(whole + 1):
        before, even = part, True
        while True:
            after = draw_unit(stream)
            if after >= before or draw_unit(stream) >= chance:
                break
            before, even = after, not even
        if not even:
            return False
    return True
