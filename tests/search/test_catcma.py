"""The adapter to CatCMA."""

from __future__ import annotations

import sys

import pytest

from hebbarium.search.catcma import CatCMASearch, CatCMASettings
from hebbarium.tools.errors import BadInput
from search.landscape import run, value


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cmaes", None)
    with pytest.raises(BadInput, match=r"hebbarium\[optimisers\]"):
        CatCMASearch()


def test_it_climbs() -> None:
    search = CatCMASearch(seed=1)
    told = run(search)
    assert len(told) == 1600
    first = [value(each.request.rule) for each in told[:32]]
    last = [value(each.request.rule) for each in told[-32:]]
    assert sum(last) / 32 > sum(first) / 32 + 15


def test_it_keeps_to_its_smallest_eta() -> None:
    told = run(CatCMASearch(CatCMASettings(smallest_eta=0.01), seed=1), rounds=10)
    etas = [each.request.rule.eta or 0.0 for each in told]
    assert min(etas) >= 0.01
    assert min(etas) < 0.05
    assert max(etas) > 0.3
