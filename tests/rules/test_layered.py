"""Etas after an `@` and rules for each layer: what is written is what is read, for any rule and any eta."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hebbarium.cli.parsing import prepare
from hebbarium.rules.layered import LayeredRule, read_rule, rule_of
from hebbarium.rules.rule import PAPER_RULES, AnyRule, Rule
from hebbarium.tools.errors import BadInput

ETAS = st.floats(0, 1, exclude_max=True)
PLAIN = st.builds(Rule, st.tuples(*[st.sampled_from([-1, 0, 1])] * 8), st.none() | ETAS)
LAYERED = st.builds(LayeredRule, st.none() | PLAIN, PLAIN)
ENTRY = st.floats(-1000, 1000) | st.sampled_from([-1, 0, 1])
WIDER = st.builds(Rule, st.lists(ENTRY, min_size=8, max_size=8) | st.lists(ENTRY, min_size=12, max_size=12), ETAS)
DEEP = st.builds(LayeredRule, WIDER, st.none() | WIDER, st.none() | PLAIN)
"""Real entries, neutral ones, three layers, any of them frozen."""
ANY = PLAIN | LAYERED | WIDER | DEEP
FROZEN = Rule("0000/0000", 0.0)


def refusal(rule: Any, eta: Any = None) -> str:
    with pytest.raises(BadInput) as caught:
        read_rule(rule, eta)
    check_sentence(str(caught.value))
    return str(caught.value)


def check_sentence(sentence: str) -> None:
    assert sentence[-1] in ".?"
    assert "\n" not in sentence


@given(ANY)
def test_round_trips(rule: AnyRule) -> None:
    assert read_rule(rule.text) == read_rule(rule) == rule
    assert read_rule(rule.notation) == rule.with_eta(None)
    assert rule_of(rule.notation, rule.eta) == rule_of(*json.loads(json.dumps([rule.notation, rule.eta]))) == rule
    assert eval(repr(rule)) == rule  # what is printed can be typed
    assert pickle.loads(pickle.dumps(rule)) == copy.deepcopy(rule) == rule
    assert read_rule(f"  {rule.text.replace('-', '−').replace(',', ' , ')} ") == rule
    assert str(rule) == rule.notation
    assert read_rule(rule.short_text).notation == rule.notation


@given(ANY)
def test_a_rule_passes_the_command_line_whole(rule: AnyRule) -> None:
    """No rule is taken for an option, with or without its etas, and every character arrives."""
    for text in (rule.text, rule.notation):
        words, _ = prepare(["compare", "foraging", text])
        assert not words[2].startswith("-")
        assert read_rule(words[2]) == read_rule(text)


@given(ANY, ANY, ANY)
def test_laws_of_equality_and_order(a: AnyRule, b: AnyRule, c: AnyRule) -> None:
    assert (a == b) == (a.text == b.text)
    assert a != b or hash(a) == hash(b)
    assert [a < b, a == b, a > b].count(True) == 1
    assert not (a < b and b < c) or a < c
    assert not (a.is_layered and not b.is_layered) or a > b


@given(PLAIN, ETAS)
def test_what_stands_after_the_at_is_the_eta(rule: Rule, eta: float) -> None:
    for words in (rule.notation, str(rule.index)):
        assert Rule(f"{words}@{eta!r}") == rule.with_eta(eta)
    refusal(f"{rule.notation}@{eta!r}", eta)


@pytest.mark.parametrize("name", PAPER_RULES)
def test_the_at_overrides_the_eta_of_a_name(name: str) -> None:
    assert Rule(f"{name}@0.02") == Rule(name).with_eta(0.02)
    assert read_rule(f"{name}@0.02, {name}").eta == [0.02, Rule(name).eta]


@given(PLAIN | LAYERED)
def test_layers_are_two_plain_rules(rule: AnyRule) -> None:
    hidden, output = rule.layers
    assert type(hidden) is type(output) is Rule
    assert rule.frozen_hidden == rule.notation.startswith("frozen,")
    if rule.frozen_hidden:
        assert hidden == FROZEN
        assert rule.eta == [None, output.eta]
    elif rule.is_layered:
        assert rule.eta == [hidden.eta, output.eta]
    else:
        assert hidden == output == rule
    assert rule.needs_eta == any(layer.eta is None for layer in (hidden, output))


@given(LAYERED)
def test_neighbours_differ_in_one_entry_of_one_layer(rule: LayeredRule) -> None:
    neighbours = rule.neighbours()
    assert len(set(neighbours)) == (16 if rule.frozen_hidden else 32)
    for other in neighbours:
        assert other.eta == rule.eta
        assert other.frozen_hidden == rule.frozen_hidden
        pairs = zip(rule.layers, other.layers, strict=True)
        assert sum(x != y for a, b in pairs for x, y in zip(a.entries, b.entries, strict=True)) == 1


@given(LAYERED, ETAS)
def test_one_eta_serves_each_layer_that_learns(rule: LayeredRule, eta: float) -> None:
    whole = read_rule(rule.notation, eta)
    assert whole.eta == [None if rule.frozen_hidden else eta, eta]
    assert whole == rule.with_eta(eta)
    assert not whole.needs_eta


def test_a_layered_rule_as_it_is_written() -> None:
    rule = read_rule("00+-/0000@0.005,00+-/0000@0.08")
    assert (rule.notation, rule.eta, rule.eta_text) == ("00+-/0000,00+-/0000", [0.005, 0.08], "0.005 and 0.08")
    frozen = read_rule("Frozen, 3442@0.06")
    assert (frozen.text, frozen.eta, frozen.eta_text) == ("frozen,00+-/0000@0.06", [None, 0.06], "0.06")
    assert (frozen.index, frozen.paper) == (None, ())
    assert Rule("00+-/0000@0.04") < frozen < rule
    with pytest.raises(AttributeError):
        frozen.parts = (FROZEN, FROZEN)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("00+-/0000@", "eta is '', but must be a number from 0"),
        ("00+-/0000@many", "eta is 'many', but must be a number from 0"),
        ("00+-/0000@1", "the nearest is 0.999"),
        ("00+-/0000@-0.1", "the nearest is 0."),
        ("00+-/0000@0.1@0.2", "eta is '0.1@0.2'"),
        ("00+-/000@0.1", "the nearest is 00+-/0000"),
        ("6561@0.1", "the nearest is 6560"),
        ("foraging:19@0.1", "the nearest is foraging:18"),
        ("@0.1", "has 0 entries"),
        ("frozen", "has 1 of two or more layers"),
        ("00+-/0000@0.1,", "has 1 of two or more layers"),
        (",", "has 0 of two or more layers"),
        ("frozn,00+-/0000", "did you mean 'frozen'?"),
        ("frozen@0.1,00+-/0000", "an eta for a frozen layer"),
        ("00+-/0000,frozen@0.1", "an eta for a frozen layer"),
        ("frozen,frozen", "freezes every layer"),
        ("0:0:1/0:0:0:0", "has 3/4 numbers"),
        ("0:0:1:x/0:0:0:0", "has 'x', but needs a number"),
        ("0:0:1:2000/0:0:0:0", "the nearest is 1000"),
        ("abcd:1:2:3/0:0:0:0", "has 3/4 numbers"),
        ("00+-/0000@0.1,00+/0000", "rule '00+/0000'"),
    ],
)
def test_nonsense_gets_one_sentence(text: str, told: str) -> None:
    assert told in refusal(text)


@given(st.text("-0+/@,.1e frozen:", max_size=30))
@example("00+-/0000@1e-400")
@example("00+-/0000@1e400")
@example("00+-/0000@0_1")
@example("00+-/0000@٠.١")
@example("@,@")
def test_no_text_raises_anything_but_bad_input(text: str) -> None:
    try:
        rule = read_rule(text)
    except BadInput as error:
        check_sentence(str(error))
    else:
        assert read_rule(rule.text) == rule


def test_a_layered_rule_is_no_plain_one() -> None:
    for given_as in ("frozen,00+-/0000", LayeredRule("frozen", "00+-/0000")):
        with pytest.raises(BadInput, match="layer"):
            Rule(given_as)
    assert "cannot be given as well" in refusal("frozen,00+-/0000@0.06", 0.06)


@pytest.mark.parametrize("notation", ["frozen,000-/0000", "00+-/0000,000-/0000", "00+-/0000"])
def test_a_notation_alone_is_a_rule_without_an_eta(notation: str) -> None:
    assert rule_of(notation, None) == read_rule(notation)
    assert rule_of(notation, 0.04) == read_rule(notation, 0.04)
