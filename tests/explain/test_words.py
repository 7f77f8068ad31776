"""The words are read back into entries by a reader that knows only English, not how they were made."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from hebbarium.rule import PAPER_RULES, RULES, Rule
from hebbarium.words import (
    KINDS,
    association,
    family,
    half_family,
    half_words,
    in_words,
    picture,
    picture_html,
    situation,
)

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
    assert [line.split()[1:] for line in lines[2:]] == [["−", "0", "+", "−"], ["+", "0", "−", "0"]]
    columns = [lines[1].index("silent"), lines[1].index("active"), lines[1].rindex("silent"), lines[1].rindex("active")]
    for line in lines[2:]:
        places = [place for place, symbol in enumerate(line) if symbol in "−0+"]
        assert all(column <= place < column + 6 for column, place in zip(columns, places, strict=True))


@pytest.mark.parametrize("name", PAPER_RULES)
def test_the_html_picture_has_eight_cells_in_order(name):
    rule = Rule(name)
    classes = re.findall(r'<td class="(\w+)"', picture_html(rule))
    assert classes == [{-1: "weaker", 0: "same", 1: "stronger"}[entry] for entry in rule.entries]


def test_situations_name_the_entries():
    assert situation(3) == "punished, between two active neurons"
    assert situation(6) == "rewarded, from an active neuron onto a silent one"
    assert half_words((0, 0, 0, 0)) == "nothing changes"
