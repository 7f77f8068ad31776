"""Digests that stay: the same lives on every machine, today and in a year.

Kernels and twin agree with each other elsewhere; these say that neither has drifted. Whoever means to
change what a life is (its streams, its order of draws, its arithmetic) writes down new ones.
"""

from __future__ import annotations

import pytest

import hebbarium as hb

FORAGING = {
    "foraging:1": "4d289d223230032ede3e0b59d9709d946181043e666ef869d929f7606bed694b",
    "foraging:3": "1de81dc904a2870cc323718cd7fbd8c38cad962d5981b771a8356510a8876dc4",
    "foraging:6": "dc82c92df905c3423bf89ab3bb787b890dbc85eb2ed90b8cd6fa30110f555a6d",
    "foraging:18": "42e473b3b61871cbc1a45078ccb92d37a2ad75fa1b38d77771a0b0c7bfde67d2",
}


@pytest.mark.parametrize("rule", FORAGING)
def test_foraging_lives_of_seed_2024(rule: str) -> None:
    assert hb.live("foraging", rule, lifetimes=12, seed=2024).digest == FORAGING[rule]
