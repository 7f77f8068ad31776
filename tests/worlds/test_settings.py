"""Every setting of every registered task: good values make a task, anything else one clear sentence."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hebbarium.tools.errors import BadInput
from hebbarium.worlds.registry import WORLDS, make_world

SETTINGS = [(task, field.name, field.default) for task in WORLDS for field in dataclasses.fields(WORLDS[task])]
Setting = tuple[str, str, Any]
WORDS = [setting for setting in SETTINGS if isinstance(setting[2], str)]
SWITCHES = [setting for setting in SETTINGS if type(setting[2]) is bool]

OF_NO_KIND: list[Any] = [None, [], [1, 2], {}, (), object(), np.array([1, 2]), np.zeros((2, 2)), 1j, b"5", print]
NO_NUMBERS = [math.nan, np.float64("nan"), math.inf, -math.inf, 10**300, "0.5", False]
OF_ANOTHER_KIND: dict[type, list[Any]] = {
    int: [-1, -(10**30), 10**30, 2.5, "7", True, *NO_NUMBERS],
    float: NO_NUMBERS,
    str: ["", " ", ",", "sumer", "x" * 10_000, "summer,,winter", "\n", 7],
    bool: ["yes", "False", 0, 1, 2, math.nan],
}
ANYTHING = st.one_of(
    st.integers(),
    st.floats(),
    st.booleans(),
    st.text(max_size=12),
    st.none(),
    st.decimals(),
    st.fractions(),
    st.lists(st.integers(), max_size=3),
    st.sampled_from([10**400, -(10**400), 10**5000, np.int8(5), np.float32(0.5), np.bool_(True), "NaN", "1e3"]),
)


def refusal(task: str, **given: Any) -> str:
    with pytest.raises(BadInput) as caught:
        make_world(task, **given)
    sentence = str(caught.value)
    check_sentence(sentence)
    return sentence


def check_sentence(sentence: str) -> None:
    assert sentence[-1] in ".?"
    assert "\n" not in sentence
    assert len(sentence) < 300


def test_every_setting_is_of_a_kind_that_is_tested() -> None:
    assert {type(usual) for _, _, usual in SETTINGS} == set(OF_ANOTHER_KIND)


@settings(max_examples=500)
@given(setting=st.sampled_from(SETTINGS), value=st.sampled_from(OF_NO_KIND))
def test_values_of_no_kind_are_refused(setting: Setting, value: object) -> None:
    task, name, _ = setting
    assert name.replace("_", "-") in refusal(task, **{name: value})


@settings(max_examples=500)
@given(setting=st.sampled_from(SETTINGS), data=st.data())
def test_values_of_another_kind_are_refused(setting: Setting, data: st.DataObject) -> None:
    task, name, usual = setting
    refusal(task, **{name: data.draw(st.sampled_from(OF_ANOTHER_KIND[type(usual)]))})


@pytest.mark.parametrize(("task", "name", "usual"), WORDS)
def test_a_slip_of_the_pen_is_put_right(task: str, name: str, usual: str) -> None:
    first = usual.partition(",")[0]
    assert f"did you mean {first!r}?" in refusal(task, **{name: first[:-1]})


@settings(max_examples=2000)
@given(chosen=st.sampled_from(SETTINGS), value=ANYTHING)
def test_any_value_at_all_makes_a_plain_task_or_one_sentence(chosen: Setting, value: object) -> None:
    task, name, usual = chosen
    try:
        made = make_world(task, **{name: value})
    except BadInput as error:
        check_sentence(str(error))
        return
    setting = getattr(made, name)
    assert type(setting) is type(usual)
    assert setting == (float(value) if type(usual) is float else value)
    assert make_world(task, **made.settings()) == made
    assert make_world(task, **made.changed_settings()) == made


@pytest.mark.parametrize("task", sorted(WORLDS))
def test_numbers_of_numpy_become_plain(task: str) -> None:
    switches = [name for other, name, _ in SWITCHES if other == task]
    made = make_world(task, season_steps=np.uint8(250), seasons=np.int8(100), **dict.fromkeys(switches, np.False_))
    assert made.steps == 25_000
    assert made == make_world(task, season_steps=250, seasons=100, **dict.fromkeys(switches, False))
    assert {type(value) for value in made.settings().values()} <= {int, float, bool, str}


@pytest.mark.parametrize("task", sorted(WORLDS))
@pytest.mark.parametrize("value", [1e-7, 1e-15, 5e-324])
def test_random_actions_too_rare_to_be_drawn_are_refused(task: str, value: float) -> None:
    assert "the nearest is 0." in refusal(task, random_action=value)


@pytest.mark.parametrize("task", sorted(WORLDS))
def test_a_refused_number_is_told_to_its_last_digit(task: str) -> None:
    assert "random-action is 1.0000001, but" in refusal(task, random_action=1.0000001)
    assert "random-action is 9.9999999e-07, but" in refusal(task, random_action=9.9999999e-07)
    assert "random-action is 2, but" in refusal(task, random_action=2.0)


@pytest.mark.parametrize("task", sorted(WORLDS))
def test_spaces_in_a_schedule_make_no_other_task(task: str) -> None:
    spaced = make_world(task, schedule=" " + ", ".join(WORLDS[task].kinds))
    assert spaced == make_world(task)
    assert spaced.changed_settings() == {}


@pytest.mark.parametrize("task", sorted(WORLDS))
def test_seasons_follow_the_schedule(task: str) -> None:
    first, *_, last = WORLDS[task].kinds * 2
    made = make_world(task, schedule=f"{last}, {first},{last}", seasons=5, season_steps=1)
    kinds = [last, first, last, last, first]
    assert [made.kinds[kind] for kind in made.season_kinds] == kinds
    assert list(made.season_names) == [f"{kind}{kinds[: place + 1].count(kind)}" for place, kind in enumerate(kinds)]


@pytest.mark.parametrize("task", sorted(WORLDS))
def test_tasks_are_immutable_hashable_and_comparable(task: str) -> None:
    made = make_world(task)
    assert made == make_world(task, **made.settings())
    assert hash(made) == hash(make_world(made))
    assert made != make_world(task, seasons=3)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.seasons = 3


def test_unknown_names() -> None:
    assert "did you mean 'foraging'?" in refusal("foragin")
    assert "did you mean 'season_steps'?" in refusal("foraging", season_step=5)
