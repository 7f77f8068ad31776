"""Digests that stay: the same lives on every machine, today and in a year.

Kernels and twin agree with each other elsewhere; these say that neither has drifted. Whoever means to
change what a life is (its streams, its order of draws, its arithmetic) writes down new ones, and raises ARITHMETIC.
"""

from __future__ import annotations

import hashlib

import pytest

import hebbarium as hb
from hebbarium.life.arithmetic_version import ARITHMETIC

FORAGING = {
    "foraging:1": "4d289d223230032ede3e0b59d9709d946181043e666ef869d929f7606bed694b",
    "foraging:3": "1de81dc904a2870cc323718cd7fbd8c38cad962d5981b771a8356510a8876dc4",
    "foraging:6": "dc82c92df905c3423bf89ab3bb787b890dbc85eb2ed90b8cd6fa30110f555a6d",
    "foraging:18": "42e473b3b61871cbc1a45078ccb92d37a2ad75fa1b38d77771a0b0c7bfde67d2",
}

PREY_PREDATOR = {
    "prey-predator:1": "60db865e72d0eccb5b5f2228d878a3d2f0c1502a3c98e51d02c5248e3fe741d2",
    "prey-predator:3": "3a11ec78d5a041af1913ab7490ba3c7360d84e426a52e0f2c52971a79e1c37e0",
    "prey-predator:6": "4ae26a6f9d2fb2304e8e7535b9f6fb05db649251beaa34120b149733a7a26bef",
}


@pytest.mark.parametrize("rule", FORAGING)
def test_foraging_lives_of_seed_2024(rule: str) -> None:
    assert hb.live("foraging", rule, lifetimes=12, seed=2024).digest == FORAGING[rule]


@pytest.mark.parametrize("rule", PREY_PREDATOR)
def test_prey_predator_lives_of_seed_2024(rule: str) -> None:
    assert hb.live("prey-predator", rule, lifetimes=12, seed=2024).digest == PREY_PREDATOR[rule]


def test_these_digests_are_those_of_the_present_arithmetic() -> None:
    """Unfinished runs are resumed only by the arithmetic that began them, so its number must tell lives apart."""
    written = "".join([*FORAGING.values(), *PREY_PREDATOR.values()])
    assert (ARITHMETIC, hashlib.sha256(written.encode()).hexdigest()[:16]) == (1, "9ae72879aba2b4ff")
