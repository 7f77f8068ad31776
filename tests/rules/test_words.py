"""The words are read back into entries by a reader that knows only English, not how they were made."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hebbarium.rules.layered import LayeredRule, read_rule
from hebbarium.rules.rule import PAPER_RULES, RULES, Rule
from hebbarium.rules.words import (
    KINDS,
    SITUATIONS,
    association,
    blame_in_words,
    eligibility_in_words,
    etas_in_words,
    family,
    half_family,
    half_words,
    in_words,
    picture,
    situation,
)
from hebbarium.show.pages import rule_table

ALL = [Rule(index) for index in range(RULES)]
CHANGE = {"weaker": -1, "stronger": 1, "keep their strength": 0}
SYNAPSES = {
    "between two silent neurons": {0},
    "from a silent neuron onto an active one": {1},
    "from an active neuron onto a silent one": {2},
    "between two active neurons": {3},
    "from a silent neuron": {0, 1},
    "from an active neuron": {2, 3},
    "onto a silent neuron": {0, 2},
    "onto an active neuron": {1, 3},
    "": {0, 1, 2, 3},
}
CONDITIONS = {
    "the two neurons it joins were both active or both silent": {0, 3},
    "only one was active": {1, 2},
    "only one of the two neurons it joins was active": {1, 2},
    "the neuron it feeds was active too": {1, 3},
    "the neuron it feeds was active": {1, 3},
    "the neuron it comes from was active too": {2, 3},
    "the neuron it comes from was active": {2, 3},
}


def read_half(text: str) -> list[int]:
    entries = [0, 0, 0, 0]
    for clause in text.split("; "):
        if clause == "nothing changes":
            continue
        found = re.fullmatch(r"(?:a|every) synapse ?(.*?) ?grows (weaker|stronger)(.*)", clause)
        assert found, clause
        where, change, rest = found.groups()
        cells = SYNAPSES[where]
        if rest.startswith(" if "):
            first, _, second = rest.removeprefix(" if ").partition(", and ")
            held = CONDITIONS[first] & cells
            if second:
                other, _, condition = second.partition(" if ")
                missed = cells - held if condition == "it was not" else CONDITIONS[condition] & cells
                for cell in missed:
                    entries[cell] = CHANGE[other]
            cells = held
        for cell in cells:
            entries[cell] = CHANGE[change]
        if rest.startswith(", except those "):
            pair, _, fate = rest.removeprefix(", except those ").partition(", which ")
            (odd,) = SYNAPSES[pair]
            entries[odd] = CHANGE[fate.removeprefix("grow ")]
    return entries


def read(text: str) -> tuple[int, ...]:
    punished, rewarded = [0] * 4, [0] * 4
    for sentence in text.rstrip(".").split(". "):
        if sentence in ("Reward changes nothing", "Punishment changes nothing", "No synapse ever changes"):
            continue
        opening, _, clause = sentence.partition(", ")
        half = read_half(clause)
        assert opening in (
            "When the agent is punished",
            "When the agent is rewarded",
            "When it is rewarded",
            "Whether the agent is punished or rewarded",
        )
        if "punished" in opening:
            punished = half
        if "rewarded" in opening:
            rewarded = half
    return (*punished, *rewarded)


def test_the_words_of_every_rule_say_its_eight_entries():
    for rule in ALL:
        assert read(in_words(rule)) == rule.entries, rule


def test_no_two_rules_share_their_words_and_all_are_short():
    words = [in_words(rule) for rule in ALL]
    assert len(set(words)) == RULES
    assert max(map(len, words)) <= 410
    assert all(text[0].isupper() and text.endswith(".") for text in words)


def test_rule_1_as_a_biologist_would_say_it():
    assert in_words(Rule("foraging:1")) == (
        "When the agent is punished, a synapse from an active neuron grows weaker if the neuron it feeds was active "
        "too, and stronger if it was not. Reward changes nothing."
    )


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("0000/0000", "inert"),
        ("00+-/0000", "punishment-only, anti-Hebbian"),
        ("0000/000+", "reward-only, Hebbian"),
        ("000-/000+", "reward-modulated Hebbian"),
        ("000+/000-", "reward-modulated anti-Hebbian"),
        ("+--+/000+", "Hebbian"),
        ("++++/0000", "punishment-only, non-associative"),
        ("--+0/+---", "relatively anti-Hebbian on punishment, relatively Hebbian on reward"),
        ("00++/000-", "non-associative on punishment, anti-Hebbian on reward"),
    ],
)
def test_families(rule, expected):
    assert family(Rule(rule)) == expected


def test_what_is_called_hebbian_strengthens_synapses_between_two_active_neurons():
    for rule in ALL:
        for half in (rule.punished, rule.rewarded):
            kind = half_family(half)
            assert (kind == "Hebbian") == (half[3] == 1 and association(half) == 1)
            assert (kind == "anti-Hebbian") == (half[3] == -1 and association(half) == -1)
            assert ("Hebbian" in kind) == (association(half) != 0)


def test_the_kinds_are_those_of_their_examples():
    assert {half_family(Rule(index).rewarded) for index in range(81)} == set(KINDS)
    assert [half_family(half) for half in KINDS.values()] == list(KINDS)


def test_every_rule_has_one_of_36_families_and_mirrored_families_are_as_large():
    sizes = Counter(family(rule) for rule in ALL)
    assert len(sizes) == 36
    assert sum(sizes.values()) == RULES
    assert sizes["inert"] == 1
    # Negating all entries swaps Hebbian and anti-Hebbian.
    assert sizes["Hebbian"] == sizes["anti-Hebbian"]
    assert sizes["punishment-only, Hebbian"] == sizes["reward-only, anti-Hebbian"]


def test_association_is_the_interaction_of_pre_and_post():
    assert association((1, -1, -1, 1)) == 1
    assert association((0, 0, 1, -1)) == -1
    assert association((-1, -1, 1, 1)) == association((-1, 1, -1, 1)) == association((1, 1, 1, 1)) == 0


def test_the_picture_shows_the_entries_in_their_places():
    lines = picture(Rule("-0+-/+0-0")).splitlines()
    assert [line.split()[1:] for line in lines[1:]] == [["−", "0", "+", "−"], ["+", "0", "−", "0"]]
    columns = [lines[0].index(situation) for situation in SITUATIONS]
    for line in lines[1:]:
        places = [place for place, symbol in enumerate(line) if symbol in "−0+"]
        assert all(column <= place < column + 15 for column, place in zip(columns, places, strict=True))


@pytest.mark.parametrize("name", PAPER_RULES)
def test_the_html_picture_has_eight_cells_in_order(name):
    rule = Rule(name)
    classes = re.findall(r'<td class="(\w+)"', rule_table(rule))
    assert classes == [{-1: "weaker", 0: "same", 1: "stronger"}[entry] for entry in rule.entries]


def test_situations_name_the_entries():
    assert situation(3) == "punished, active → active"
    assert situation(6) == "rewarded, active → silent"
    assert half_words((0, 0, 0, 0)) == "nothing changes"


def read_layers(text: str) -> list[tuple[int, ...]]:
    if text.startswith("Both layers: "):
        return [read(text.removeprefix("Both layers: "))] * 2
    hidden, output = text.removeprefix("Hidden layer: ").split(" Output layer: ")
    return [read(hidden), read(output)]


@given(st.builds(LayeredRule, st.none() | st.sampled_from(ALL), st.sampled_from(ALL)))
def test_the_words_of_a_layered_rule_say_the_entries_of_each_layer(rule: LayeredRule) -> None:
    assert read_layers(in_words(rule)) == [layer.entries for layer in rule.layers]
    for layer in rule.learning:
        assert family(layer) in family(rule)
    assert ("frozen" in family(rule)) == rule.frozen_hidden


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (
            "00+-/0000@0.005,00+-/0000@0.08",
            "The output layer learns at eta 0.08 .* the hidden layer at 0.005, 16 times more",
        ),
        (
            "00+-/0000@0.06,00+-/0000@0.04",
            "The hidden layer learns at eta 0.06 .* the output layer at 0.04, 1.5 times more",
        ),
        ("00+-/0000@0.0001,00+-/0000@0.1", "1,000 times more slowly"),
        ("00+-/0000@0.04,00+-/0000@0.04", r"behaves exactly like 00\+-/0000@0.04"),
        ("00+-/0000@0.04,000-/0000@0.04", "Both layers learn at eta 0.04.$"),
        ("00+-/0000@0,000-/0000@0.04", "the hidden layer never changes; the other learns at 0.04"),
        ("00+-/0000@0.04,000-/0000@0", "the output layer never changes; the other learns at 0.04"),
        ("frozen,00+-/0000@0.06", "random features .* Only the output layer learns .eta 0.06."),
        ("00+-/0000,00+-/0000", "each may have its own eta"),
    ],
)
def test_what_two_etas_mean(rule: str, told: str) -> None:
    assert re.search(told, str(etas_in_words(read_rule(rule))))


def test_a_plain_rule_has_one_eta_and_no_more_to_say():
    assert etas_in_words(Rule("foraging:1")) is None


GROUPS = {"open-turn": "turning in the open", "missed": "missing an item", "wall-turn": "turning from a wall"}


def test_blame_in_words():
    assert blame_in_words({}, GROUPS) == blame_in_words({"missed": 1}, GROUPS) == "Every judgement counts in full."
    told = blame_in_words({"open-turn": 0.05, "wall-turn": -0.06, "13": 0}, GROUPS)
    assert told == (
        "Judgements are weighted: turning in the open counts 0.05 times; turning from a wall counts 0.06 times with "
        "the opposite sign (what the rule strengthens is weakened, and vice versa); association 13 changes nothing. "
        "All others count in full."
    )
    assert "All others" not in blame_in_words(dict.fromkeys(GROUPS, 0.5), GROUPS)


def test_eligibility_in_words():
    present = "Only the current step counts."
    assert eligibility_in_words(0, GROUPS) == eligibility_in_words({"missed": 0}, GROUPS) == present
    assert "always counts as well, 0.3 times as much as the current one" in eligibility_in_words(0.3, GROUPS)
    assert "well: 0.5 times after missing an item." in eligibility_in_words({"missed": 0.5, "open-turn": 0}, GROUPS)


def test_a_notebook_shows_a_rule_in_two_colours():
    shown = Rule("00+-/0000@0.04")._repr_html_()
    assert "<code>00+-/0000@0.04</code> (foraging:1)" in shown
    weaker, stronger = (
        re.findall(rf'class="{name}" style="background:(#\w+)', shown) for name in ("weaker", "stronger")
    )
    assert len(weaker) == len(stronger) == 1
    assert weaker != stronger
    layered = read_rule("frozen,00+-/0000@0.06")._repr_html_()
    assert layered.count("<table") == 1
    assert "<figcaption>hidden layer</figcaption><p>frozen</p>" in layered
    assert "output layer, eta 0.06" in layered
    assert "style=" not in rule_table(Rule("00+-/0000"))
