"""Rules are read, written, compared and ordered without surprises, all 6,561 of them."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hebbarium.rules.rule import PAPER_RULES, RULES, SITUATIONS, Rule
from hebbarium.tools.errors import BadInput

ETAS = st.floats(0, 1, exclude_max=True)
ENTRIES = st.tuples(*[st.sampled_from([-1, 0, 1])] * 8)
RULE = st.builds(Rule, ENTRIES, st.none() | ETAS)
NEAR_NOTATION = st.text("-0+/19:. −–—\n", max_size=12)
"""Text made of what notations are made of, and what creeps into them."""


def refusal(*rule: Any, **eta: Any) -> str:
    with pytest.raises(BadInput) as caught:
        Rule(*rule, **eta)
    check_sentence(str(caught.value))
    return str(caught.value)


def check_sentence(sentence: str) -> None:
    assert sentence[-1] in ".?"
    assert "\n" not in sentence
    assert len(sentence) < 300


def test_all_rules_by_index_notation_and_entries() -> None:
    every = list(itertools.product((-1, 0, 1), repeat=8))
    rules = [Rule(index) for index in range(RULES)]
    assert [rule.entries for rule in rules] == every  # base 3, the first entry most significant
    for index, rule in enumerate(rules):
        assert rule.index == index
        assert Rule(rule.notation) == Rule(rule.notation.replace("/", "")) == Rule(rule.entries) == rule
        assert Rule(str(index)) == rule
    assert len({rule.notation for rule in rules}) == len(set(rules)) == RULES
    shuffled = random.Random(1).sample(rules, RULES)
    assert sorted(shuffled) == rules


def test_columns_of_the_paper() -> None:
    """Punishment first; within a half 00 01 10 11, the bits being (pre, post)."""
    assert (
        *((-1, 0, 0), (-1, 0, 1), (-1, 1, 0), (-1, 1, 1)),
        *((+1, 0, 0), (+1, 0, 1), (+1, 1, 0), (+1, 1, 1)),
    ) == SITUATIONS
    rule = Rule("-0+-/0+-0")
    assert rule.entries == (-1, 0, 1, -1, 0, 1, -1, 0)
    assert (rule.punished, rule.rewarded) == ((-1, 0, 1, -1), (0, 1, -1, 0))
    assert Rule("--------").index == 0
    assert Rule("++++++++").index == 6560
    assert Rule("-------0").index == 1
    assert Rule("0-------").index == 3**7


PUBLISHED = """
foraging 1  0.0375  0 0 1 -1    0 0 0 0
foraging 2  0.0167  -1 1 1 -1   0 0 0 0
foraging 3  0.0192  1 0 1 -1    0 0 0 0
foraging 4  0.0488  -1 1 1 -1   1 0 -1 0
foraging 5  0.0182  -1 -1 1 0   1 0 -1 0
foraging 6  0.0118  -1 1 1 -1   -1 -1 1 1
foraging 7  0.0092  0 1 1 -1    -1 -1 1 1
foraging 8  0.0096  1 1 1 -1    -1 -1 1 1
foraging 9  0.0273  -1 1 1 -1   0 -1 0 1
foraging 10 0.0052  1 1 1 -1    0 -1 0 1
foraging 11 0.0198  0 1 1 -1    1 -1 -1 -1
foraging 12 0.061   -1 1 1 0    1 -1 -1 -1
foraging 13 0.0799  0 0 0 -1    1 1 0 -1
foraging 14 0.0662  0 0 0 -1    0 1 1 -1
foraging 15 0.0301  1 1 -1 -1   1 0 -1 1
foraging 16 0.04    0 0 0 -1    0 0 0 0
foraging 17 0.01    0 0 1 -1    0 -1 0 1
foraging 18 0.01    0 0 0 -1    0 0 0 1
prey-predator 1 0.42  0 -1 1 0   1 -1 0 0
prey-predator 2 0.55  0 -1 1 0   -1 0 -1 -1
prey-predator 3 0.98  1 -1 1 -1  0 -1 -1 -1
prey-predator 4 0.69  1 0 1 -1   -1 0 -1 -1
prey-predator 5 0.56  1 0 1 -1   1 -1 -1 0
prey-predator 6 0.65  1 0 1 -1   0 -1 -1 0
"""


@pytest.mark.parametrize("row", PUBLISHED.strip().splitlines())
def test_the_papers_rules(row: str) -> None:
    task, number, eta, *entries = row.split()
    name = f"{task}:{number}"
    rule = Rule(name)
    assert rule.entries == tuple(map(int, entries))
    assert rule.eta == float(eta)
    assert name in rule.paper
    assert Rule(name.upper()) == Rule(f"  {name} ") == rule
    assert Rule(name, 0.5).eta == 0.5


def test_no_other_names() -> None:
    assert len(PAPER_RULES) == len(PUBLISHED.strip().splitlines())
    named = {index for index in range(RULES) if Rule(index).paper}
    assert named == {Rule(name).index for name in PAPER_RULES}


@given(RULE)
def test_round_trips(rule: Rule) -> None:
    assert Rule(rule) == Rule(rule.notation, rule.eta) == Rule(rule.index, rule.eta) == rule
    assert Rule(list(rule.entries), rule.eta) == Rule(np.array(rule.entries), rule.eta) == rule
    assert Rule(np.array(rule.entries, np.int8)).entries == Rule(np.int16(rule.index)).entries == rule.entries
    assert eval(repr(rule)) == rule  # what is printed can be typed
    assert str(rule) == rule.notation
    assert pickle.loads(pickle.dumps(rule)) == copy.deepcopy(rule) == rule
    assert Rule(rule.notation.replace("-", "−")).entries == rule.entries  # as copied from a PDF


@given(RULE, RULE, RULE)
def test_laws_of_equality_and_order(a: Rule, b: Rule, c: Rule) -> None:
    assert (a == b) == ((a.entries, a.eta) == (b.entries, b.eta))
    assert a != b or hash(a) == hash(b)
    assert [a < b, a == b, a > b].count(True) == 1
    assert (a <= b) == (not a > b)
    assert (a < b) == (b > a)
    assert not (a < b and b < c) or a < c


@given(RULE)
def test_rules_do_not_change(rule: Rule) -> None:
    with pytest.raises(AttributeError):
        rule.eta = 0.5
    assert rule.with_eta(0.25).eta == 0.25
    assert rule.with_eta(0.25).entries == rule.entries
    assert rule != rule.notation
    with pytest.raises(TypeError):
        _ = rule < 5


@given(RULE)
def test_neighbours_differ_in_one_entry(rule: Rule) -> None:
    neighbours = rule.neighbours()
    assert len(set(neighbours)) == 16
    for other in neighbours:
        assert other.eta == rule.eta
        assert sum(x != y for x, y in zip(rule.entries, other.entries, strict=True)) == 1
        assert rule in other.neighbours()


def means(text: str) -> tuple[int, ...] | None:
    """An independent reading of notation and index: the entries, or None where the text is malformed."""
    text = text.strip()
    for dash in "−–—":
        text = text.replace(dash, "-")
    if text != "" and len(text) <= 4 and set(text) <= set("0123456789"):
        index = int(text)
        return tuple(index // 3**place % 3 - 1 for place in range(7, -1, -1)) if index < 3**8 else None
    parts = [text[:4], text[4:8], text[8:]] if "/" not in text else text.split("/")
    parts = [part for place, part in enumerate(parts) if place < 2 or part or "/" in text]
    if len(parts) == 2 and len(parts[1]) == 8:  # the second slash may be left out, too
        parts = [parts[0], parts[1][:4], parts[1][4:]]
    if len(parts) == 2 and len(parts[0]) == 8:
        parts = [parts[0][:4], parts[0][4:], parts[1]]
    if [len(part) for part in parts] not in ([4, 4], [4, 4, 4]) or not set("".join(parts)) <= set("-0+"):
        return None
    entries = tuple({"-": -1, "0": 0, "+": 1}[symbol] for symbol in "".join(parts))
    return entries if any(entries[8:]) else entries[:8]


@given(
    NEAR_NOTATION.filter(lambda text: text.count(":") < 6)
    | st.from_regex(r"[-0+]{3,5}/?[-0+]{3,5}", fullmatch=True)
    | st.integers(-10, 10**5).map(str)
)
@example("0000")
@example("00000000")
@example("6561")
@example("-1")
@example("00+-//0000")
@example("/00+-0000")
@example("00+-0000/")
def test_text_means_what_it_says_or_is_refused(text: str) -> None:
    expected = means(text)
    if expected is None:
        refusal(text)
    else:
        assert Rule(text).entries == expected


@given(st.text())
@example("foraging:")
@example("foraging:99999999999999999999999")
@example("foraging:²")
@example(":")
@example("\x00" * 9)
@example("\ud800")
@example("٣")
def test_no_text_raises_anything_but_bad_input(text: str) -> None:
    try:
        Rule(text)
    except BadInput as error:
        check_sentence(str(error))


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=12))
def test_no_object_raises_anything_but_bad_input(thing: Any) -> None:
    try:
        rule = Rule(thing)
    except BadInput:
        return
    assert all(-1000 <= entry <= 1000 for entry in rule.entries)
    assert {type(entry) for entry in rule.entries} == {int if set(rule.entries) <= {-1, 0, 1} else float}


@pytest.mark.parametrize(
    "thing",
    [
        [True] * 8,
        [[0]] * 8,
        range(10**6),
        "-" * 10**5,
        "x:" * 10**5,
        None,
        True,
        3.0,
        b"00+-0000",
        {},
        [0] * 7,
        [0] * 9,
        [2000] * 8,
        [float("nan")] * 8,
        ["0"] * 8,
        np.zeros((8, 2)),
    ],
)
def test_things_that_are_no_rules(thing: Any) -> None:
    refusal(thing)


@pytest.mark.parametrize("eta", [-0.001, 1, 1.5, float("nan"), float("inf"), "0.1", True, [0.1], 10**400, -(10**400)])
def test_etas_outside_their_range(eta: Any) -> None:
    assert refusal("00+-/0000", eta=eta).startswith("eta is ")


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("00+-/000", "00+-/0000"),
        ("00+-/00000", "00+-/0000"),
        ("6561", "6560"),
        ("99999", "6560"),
        ("foraging:19", "foraging:18"),
        ("foraging:0", "foraging:1"),
        ("foragin:3", "foraging:3"),
        ("prey:7", "prey-predator:6"),
    ],
)
def test_the_nearest_good_rule_is_named(text: str, nearest: str) -> None:
    assert refusal(text).endswith(f"the nearest is {nearest}.")


REAL = st.lists(st.floats(-1000, 1000), min_size=8, max_size=8) | st.lists(
    st.floats(-1000, 1000), min_size=12, max_size=12
)


@given(REAL, st.none() | ETAS)
def test_real_and_neutral_entries_print_to_themselves(entries: list[float], eta: float | None) -> None:
    rule = Rule(entries, eta)
    assert [*rule.padded[: len(entries)]] == entries
    assert Rule(rule.text) == Rule(rule.notation, eta) == rule
    assert rule.index is None or set(rule.entries) <= {-1, 0, 1}


def test_real_and_neutral_entries_as_they_are_written() -> None:
    rule = Rule("0:0:0.86:-0.74/0:0:0:0@0.0375")
    assert (rule.punished, rule.text) == ((0, 0, 0.86, -0.74), "0:0:0.86:-0.74/0:0:0:0@0.0375")
    neutral = Rule("00+-/0000/0-00")
    assert (neutral.neutral, neutral.notation, neutral.index) == ((0, -1, 0, 0), "00+-/0000/0-00", None)
    assert Rule("00+-00000-00") == neutral
    assert Rule("00+-/0000/0000") == Rule("0:0:1:-1/0:0:0:0") == Rule("00+-/0000")  # one name for one rule
    assert list(Rule("0:0:1:-1/0:0:0:0").frame()["change"]) == [0, 0, 1, -1, 0, 0, 0, 0]
    assert len(neutral.frame()) == 12


@given(st.lists(st.integers(-99, 99), min_size=12, max_size=12))
def test_hebbs_form_is_the_table(numbers: list[int]) -> None:
    """eta (A xy + B x + C y + D) at activities of 0 and 1, for each signal."""
    signals = [numbers[:4], numbers[4:8], numbers[8:]]
    rule = Rule.of_hebb(*signals)
    for (a, b, c, d), table in zip(signals, (rule.punished, rule.rewarded, rule.neutral), strict=True):
        assert list(table) == [a * x * y + b * x + c * y + d for x in (0, 1) for y in (0, 1)]
    assert [list(rule.hebb[name]) for name in rule.by_signal] == signals[: len(rule.by_signal)]
    assert Rule("abcd:" + "/".join(":".join(map(str, four)) for four in signals)) == rule
