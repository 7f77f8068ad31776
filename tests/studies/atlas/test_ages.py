"""Which rules age: how it is measured, told, drawn, and what comes with the package."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hebbarium as hb
from hebbarium.life.jobs import Jobs
from hebbarium.rules.rule import RULES, Rule
from hebbarium.studies.atlas import ages as ageing
from hebbarium.studies.atlas.ages import COLUMNS, Age, Ages, ages_of, shipped_ages
from hebbarium.studies.atlas.finished_atlas import Atlas
from hebbarium.studies.atlas.page import save_map
from hebbarium.studies.atlas.stages import FRESH
from lives import live_jobs

sys.path.insert(0, str(Path(__file__).parent))
from invented import invented

SEASONS = ((1, 4), (29, 32))
STEADY = Age(50.0, 0.5, 49.5, 0.5, 0.03, 50.0, 0.5, 49.6, 0.5, SEASONS)
FALLING = Age(50.0, 0.5, 10.0, 0.5, 0.002, 20.0, 0.5, 45.0, 0.5, SEASONS)
USELESS = Age(0.3, 0.5, -0.4, 0.5, 0.03, 0.1, 0.5, 0.2, 0.5, SEASONS)


@pytest.fixture(scope="module")
def ages() -> Ages:
    found = ages_of(Atlas.of("foraging"))
    assert found is not None
    return found


def test_only_a_sure_and_large_fall_is_called_ageing() -> None:
    assert [one.ages for one in (STEADY, FALLING, USELESS)] == [False, True, False]


def test_words_name_another_eta_only_where_it_is_better() -> None:
    assert STEADY.words().endswith("does not age: 50.0 ± 0.5 in seasons 1 to 4, 49.5 ± 0.5 in seasons 29 to 32.")
    assert FALLING.words().endswith("10.0 ± 0.5 in seasons 29 to 32. At eta 0.002 it still scores 45.0 ± 0.5 there.")


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A life of eight seasons, and few of them."""
    monkeypatch.setattr(ageing, "SEASONS", 8)
    monkeypatch.setattr(ageing, "GRID", (0.25, 1.0))
    monkeypatch.setattr(ageing, "ROUNDS", (ageing.Round(1.0, 2.0, 6),))
    monkeypatch.setattr(ageing, "SCORED", ((1.0, 5), (0.3, 9)))


@pytest.mark.usefixtures("short")
def test_the_eta_is_chosen_for_late_seasons() -> None:
    """Of three rules, on fresh lifetimes."""
    atlas, world = Atlas.of("foraging"), hb.make_world("foraging", season_steps=800)
    measured = ageing.measure_ages(atlas, world, rules=3, threads=1)
    assert measured.rule.tolist() == atlas.order[:3].tolist()
    assert sorted(measured.lifetimes.tolist()) == [5, 5, 9]
    place = int(np.argmax(measured.lifetimes))
    rule = Rule(int(measured.rule[place]), float(measured.late_eta[place]))
    longer = dataclasses.replace(world, seasons=8)
    late = longer.fitness(live_jobs(longer, 20, Jobs.of_rule(rule, 9, 1, FRESH)).counts)[:, 4:].mean(axis=1)
    assert measured.best_late[place] == np.float32(late.mean())
    assert measured.best_late_sem[place] == pytest.approx(late.std(ddof=1) / 3)


@pytest.mark.usefixtures("short")
def test_measuring_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped in its third chunk, it lives only the others."""
    atlas, world = Atlas.of("foraging"), hb.make_world("foraging", season_steps=100)
    measure = functools.partial(ageing.measure_ages, atlas, world, rules=3, threads=1)
    chunks, live = [], ageing.run

    def counted(*given: Any, **named: Any) -> Any:
        chunks.append(given)
        if len(chunks) == stop:
            raise KeyboardInterrupt
        return live(*given, **named)

    monkeypatch.setattr(ageing, "CHUNK", 6)
    monkeypatch.setattr(ageing, "run", counted)
    stop = 0
    whole, total = measure(), len(chunks)
    chunks.clear()
    stop = 3
    with pytest.raises(KeyboardInterrupt):
        measure(out=tmp_path / "run")
    chunks.clear()
    stop = 0
    resumed = measure(out=tmp_path / "run")
    assert len(chunks) == total - 2
    assert all(np.array_equal(getattr(resumed, name), getattr(whole, name)) for name in COLUMNS)


def test_ages_survive_being_kept(ages: Ages, tmp_path: Path) -> None:
    ages.save(tmp_path / "ages.npz")
    again = Ages.load(tmp_path / "ages.npz")
    assert again.about == ages.about
    assert all(np.array_equal(getattr(again, name), getattr(ages, name)) for name in COLUMNS)
    (tmp_path / "broken.npz").write_bytes(b"PK")
    with pytest.raises(hb.BadInput, match="does not hold the ages"):
        Ages.load(tmp_path / "broken.npz")


def test_every_flipped_bit_of_a_file_is_refused_or_changes_nothing(ages: Ages, tmp_path: Path) -> None:
    file = tmp_path / "ages.npz"
    ages.save(file)
    whole, random = file.read_bytes(), np.random.default_rng(7)
    for place in random.integers(0, len(whole), 150).tolist():
        flipped = bytearray(whole)
        flipped[place] ^= 1 << int(random.integers(8))
        file.write_bytes(flipped)
        with contextlib.suppress(hb.BadInput):
            again = Ages.load(file)
            assert all(np.array_equal(getattr(again, name), getattr(ages, name)) for name in COLUMNS)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"young": np.full(300, np.nan, np.float32)}, "infinite numbers or nan"),
        ({"young": np.zeros(299, np.float32)}, r"young is float32 \[299\]"),
        ({"young": np.zeros(300)}, "young is float64"),
        ({"rule": np.full(300, 7, np.int16)}, "occur once each"),
        ({"rule": np.arange(-1, 299, dtype=np.int16)}, "occur once each"),
        ({"about": []}, "is not a table"),
        ({"about": {"task": 3}}, "its task is 3"),
        ({"about": "[" * 50_000}, "does not hold the ages"),
    ],
)
def test_ages_that_cannot_be_are_refused(ages: Ages, tmp_path: Path, changed: dict[str, Any], words: str) -> None:
    columns = {name: getattr(ages, name) for name in COLUMNS} | changed
    about = columns.pop("about", ages.about)
    text = about if isinstance(about, str) else json.dumps(about)
    np.savez_compressed(tmp_path / "ages.npz", about=text, **columns)
    with pytest.raises(hb.BadInput, match=words):
        Ages.load(tmp_path / "ages.npz")


FORBIDDEN = {"np.load(": (), "Console(": ("terminal.py",)}
"""What no module may call but these: files are read with `arrays.py`, and tables printed with `make_console`."""


@pytest.mark.parametrize("call", FORBIDDEN)
def test_no_module_calls_what_the_conventions_forbid(call: str) -> None:
    sources = Path(hb.__file__).parent.rglob("*.py")
    users = {path.name for path in sources if call in path.read_text(encoding="utf-8").replace(f"def {call}", "")}
    assert users <= set(FORBIDDEN[call])


def test_those_that_come_with_the_package_are_of_the_best_300(ages: Ages) -> None:
    assert set(ages.rule.tolist()) == set(Atlas.of("foraging").order[:300].tolist())
    assert ages_of(invented()) is None
    assert shipped_ages("no-such-task") is None


def test_a_sample_lived_again_is_the_same(ages: Ages) -> None:
    atlas, world = Atlas.of("foraging"), hb.make_world("foraging", seasons=32)
    for place in (0, 17):
        index, lifetimes = int(ages.rule[place]), int(ages.lifetimes[place])
        jobs = Jobs.of_rule(Rule(index, float(atlas.eta[index])), lifetimes, int(ages.about["seed"]), FRESH)
        fitness = world.fitness(live_jobs(world, 20, jobs).counts)
        assert ages.young[place] == np.float32(fitness[:, :4].mean(axis=1).mean())
        assert ages.late[place] == np.float32(fitness[:, 28:].mean(axis=1).mean())


def test_explain_says_whether_a_rule_ages(ages: Ages) -> None:
    rule_3 = hb.explain("foraging:3")
    assert rule_3.age is not None
    assert rule_3.age.ages
    assert rule_3.to_json()["age"]["late"]["mean"] < 5
    worst = Rule(int(Atlas.of("foraging").order[-1]))
    assert hb.explain(worst).to_json()["age"] is None


def test_the_map_can_be_coloured_by_age_where_it_is_known(ages: Ages, tmp_path: Path, browser: Any) -> None:
    problems: list[str] = []
    for name, atlas, offered in (("known", Atlas.of("foraging"), True), ("unknown", invented(), False)):
        file = tmp_path / f"{name}.html"
        save_map(atlas, file)
        page = browser.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-ready=yes]")
        assert page.locator("#colour .age").count() == 2 * offered
        if offered:
            assert page.locator("#measured").is_hidden()
            page.select_option("#colour", "kept")
            assert page.locator("#measured").is_visible()
            pixels = page.evaluate("[...pixels.getImageData(0, 0, 81, 81).data]")
            colours = np.array(pixels).reshape(RULES, 4)[:, :3]
            grey = (colours == 128).all(axis=1)
            assert set(np.flatnonzero(~grey).tolist()) == set(ages.rule.tolist())
        assert problems == []
        page.close()
