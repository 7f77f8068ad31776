"""A world of one's own that takes several steps at once: the same lives, and every error is one sentence."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import hebbarium as hb
from hebbarium.brains.base import Brain
from hebbarium.life.batch import Batch
from hebbarium.life.jobs import Jobs
from hebbarium.rules.layered import read_rule
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import make_world

BELT = Path(__file__).parent / "belt.py"
SOURCE = BELT.read_text(encoding="utf-8")
WITHOUT = SOURCE[: SOURCE.index("\n\n@compiled\ndef coast")]
TAKEN = "    return taken\n"
BROKEN = {
    "none at all": (TAKEN, "    return -1\n", "coast gives -1, but must give how many steps it has taken, 0 to 1."),
    "too many": (TAKEN, "    return most + 1\n", "coast gives 2, but must give how many steps it has taken, 0 to 1."),
    "no whole number": (TAKEN, "    return 0.5\n", "coast gives 0.5, but must give how many steps"),
    "nothing": (TAKEN, "", "coast gives None, but must give how many steps"),
    "a count that is set": ("counts[action] += taken", "counts[action] = taken", "coast makes the count 'waited' sm"),
    "a count that is forgotten": ("    counts[action] += taken\n", "", "but counts are then ["),
    "other senses": (" and state.kind[i, place] == kind:", ":", "senses something else than step 1."),
    "another judgement": (
        "if state.place[i] == constants.cells - 1",
        "if state.place[i] >= constants.cells - 2",
        "is judged in another way than step 1.",
    ),
    "a state that is forgotten": (
        "    state.age[i] += taken\n",
        "",
        "coast leaves age of the state other than as many steps one by one.",
    ),
    "a place that is forgotten": ("        state.place[i] = place\n", "", "coast leaves the state other than as many"),
    "a state that changes without a step": (
        "taken, place = 0, state.place[i]",
        "taken, place = 0, state.place[i]\n    state.age[i] += 1",
        "coast leaves age of the state other than as many steps one by one.",
    ),
    "a place that is one too far": (
        "        state.place[i] = place\n",
        "        state.place[i] = min(place + 1, constants.cells - 1)\n",
        "coast leaves the state other than as many steps one by one.",
    ),
    "another life's row": ("state.age[i] += taken", "state.age[i + 1] += taken", "in coast: IndexError: index 1 is"),
    "the row before": ("state.age[i] += taken", "state.age[i - 1] += taken", "in coast: IndexError: index is out"),
    "arguments that are not asked for": ("season, action, most, counts):", "most):", "coast has 4 arguments, but must"),
    "a function that is not marked": ("@compiled\ndef coast", "def coast", "coast must be marked with @compiled"),
}  # fmt: skip


def live(source: str, **settings: object) -> hb.Lives:
    Path("belt.py").write_text(source, encoding="utf-8")
    return hb.live("./belt.py", "000-/0000@0.04", lifetimes=5, threads=1, **settings)


@pytest.mark.parametrize("way", BROKEN)
def test_one_sentence(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before, after, expected = BROKEN[way]
    assert before in SOURCE
    with pytest.raises(hb.BadInput) as caught:
        live(SOURCE.replace(before, after))
    print(f"{way}: {caught.value}")
    assert expected in str(caught.value)
    assert re.match(r"belt\.py, line (9\d|1\d\d)(, in \w+)?: ", str(caught.value))
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_steps_that_draw_random_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blinking = SOURCE.replace("    counts[action] += 1\n", "    counts[action] += 1\n    draw_below(stream, 2)\n", 1)
    with pytest.raises(
        hb.BadInput, match=r"belt\.py, line \d+: coast takes \d+ steps?, but one by one they draw random"
    ):
        live(blinking)


LATE = {
    "raises": ('        raise ValueError("too old")\n', "in coast: ValueError: too old."),
    "takes too many": ("        return most + 1\n", "coast gives"),
    "takes half of one": ("        return 0.5\n", "coast gives 0.5"),
    "lowers a count": ("        counts[1] -= 1\n", "coast makes the count 'gone' smaller"),
    "writes to another life": ("        state.age[i + 1] = 0\n", "in coast: IndexError: index is out of bounds."),
}


@pytest.mark.parametrize("way", LATE)
def test_one_sentence_late(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When it has been rehearsed: a rehearsal's counts begin at a million in Python, and grow further than this life's
    when compiled."""
    monkeypatch.chdir(tmp_path)
    statement, expected = LATE[way]
    late = f"    if constants.longest == 7 and 500 < state.age[i] < 900:\n{statement}    taken, place"
    source = SOURCE.replace("    taken, place", late)
    monkeypatch.setattr("hebbarium.life.rehearsal.rehearse", lambda world: None)
    with pytest.raises(hb.BadInput) as caught:
        live(source, longest=7)
    assert expected in str(caught.value)
    assert re.match(r"belt\.py, line (9\d|1\d\d)(, in \w+)?: ", str(caught.value))
    live(source, longest=6)


@pytest.mark.parametrize("settings", [{}, {"cue": 0.8}, {"random_where": "nothing-sensed"}, {"season_steps": 1}])
def test_the_same_lives_as_without(settings: dict[str, float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lives, without = live(SOURCE, **settings), live(WITHOUT, **settings)
    assert np.array_equal(lives.counts, without.counts)
    trace = hb.trace("./belt.py", "000-/0000@0.04", **settings)
    assert np.array_equal(np.diff(trace.counts, axis=0), lives.counts[0])


def test_steps_are_taken_at_once() -> None:
    """A life that would not end one by one: it waits, nothing is learnt, and no action is random."""
    world = make_world(str(BELT), season_steps=10**9, seasons=1, random_action=0.0, schedule="summer")
    trials = [trial for trial in range(20) if newborn(world, trial, fast=False).counts[0, 0, 0] == 100]
    assert trials
    waiting = newborn(world, trials[0])
    waiting.advance(world.steps)
    assert waiting.counts.tolist() == [[[world.steps, 0]]]
    assert waiting.brains.punished[0] == world.steps


def newborn(world: World, trial: int, fast: bool = True) -> Batch:
    """After a hundred steps."""
    batch = Batch(world, Brain.of(world), Jobs.of([read_rule("0000/0000@0.04")], [3], [trial]), fast=fast)
    batch.advance(100)
    return batch
