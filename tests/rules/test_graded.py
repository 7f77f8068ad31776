"""Rules with blame and eligibility of their own: written, read back, compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hebbarium.rules.graded import GradedRule, read_graded, ungraded, weights_of
from hebbarium.rules.layered import read_rule
from hebbarium.rules.words import family, in_words
from hebbarium.tools.errors import BadInput

RULES = ["00+-/0000@0.0375", "00+-/0000@0.005,00+-/000+@0.08", "frozen,00+-/000+@0.03"]
weights = st.dictionaries(
    st.sampled_from(["open-turn", "wall-turn", "missed", "3"]), st.floats(-1000, 1000, allow_nan=False), max_size=3
)


@given(st.sampled_from(RULES), weights, weights)
def test_its_text_reads_back_exactly(text: str, blame: dict[str, float], eligibility: dict[str, float]) -> None:
    rule = GradedRule(read_rule(text), blame, eligibility)
    again = read_graded(rule.text)
    assert again.text == rule.text
    assert {**weights_of(again, "blame")} == blame
    assert {**weights_of(again, "eligibility")} == eligibility
    if blame or eligibility:
        assert (again, hash(again)) == (rule, hash(rule))
    assert ungraded(again) == read_rule(text)


def test_it_is_the_same_rule_but_for_its_weights() -> None:
    plain = read_rule(RULES[1])
    graded = GradedRule(plain, {"missed": 0.5})
    assert graded != plain
    assert graded > plain
    assert graded != GradedRule(plain, {"missed": 0.6})
    assert graded != GradedRule(plain, {}, {"missed": 0.5})
    assert (graded.notation, graded.eta, graded.layers) == (plain.notation, plain.eta, plain.layers)
    assert graded.is_layered
    assert not GradedRule(read_rule(RULES[0])).is_layered
    assert graded.with_eta(None).text == "00+-/0000,00+-/000+;blame:missed=0.5"
    assert (in_words(graded), family(graded)) == (in_words(plain), family(plain))
    assert [ungraded(other) for other in graded.neighbours()] == list(plain.neighbours())


def test_rules_without_weights_are_read_as_before() -> None:
    for text in RULES:
        rule = read_rule(text)
        assert read_graded(text) == rule
        assert type(read_graded(rule.notation, rule.eta)) is type(rule)
        assert read_graded(rule.notation, rule.eta) == rule


@pytest.mark.parametrize(
    "text",
    [
        "00+-/0000@0.1;blame", "00+-/0000@0.1;blame:", "00+-/0000@0.1;blame:missed", "00+-/0000@0.1;blame:missed=x",
        "00+-/0000@0.1;blame:missed=nan", "00+-/0000@0.1;blame:missed=1e9", "00+-/0000@0.1;blam:missed=1",
        "00+-/0000@0.1;blame:missed=1;blame:wrong=1", "00+-;blame:missed=1", ";", "00+-/0000@0.1;trace:1",
        "00+-/0000@0.1;trace:-0.1", "00+-/0000@0.1;trace:x",
    ],
)  # fmt: skip
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(BadInput):
        read_graded(text)
