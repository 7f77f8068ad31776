"""Rules in words and as small tables, all from their entries: plain and layered ones, and how judgements count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hebbarium.rules.layered import LayeredRule
from hebbarium.rules.notation import is_ternary, sign
from hebbarium.rules.rule import AnyRule, Rule
from hebbarium.rules.shape import LAYERS, PER_SIGNAL, SIGNALS, layer_names
from hebbarium.tools.errors import plain

# A rule in words: what happens to a synapse in each of the eight situations, computed from the entries.
# The words are short, they are correct for all 6,561 rules, and no two rules share them. A situation that is not
# named changes nothing. In the paper's network each neuron's incoming weights are scaled to unit length after any
# change, so "stronger" means stronger beside the neuron's other synapses; `note` says what is so in which network.
# Real entries are named one by one. Its family is here too; what it scores is described by `studies/explain.py`.

Half = Sequence[Any]
"""Four entries, 00 01 10 11: (pre active, post active)."""

PAIRS = (
    "between two silent neurons",
    "from a silent neuron onto an active one",
    "from an active neuron onto a silent one",
    "between two active neurons",
)
"""The synapses of the entries 00 01 10 11."""
SITUATIONS = ("silent → silent", "silent → active", "active → silent", "active → active")
"""The same as headings: the neuron before the synapse, and the one after it."""

_ACTIVE = "A neuron is active when its input is above zero, and silent otherwise"
_ACTIVITIES = {
    "step": _ACTIVE,
    "sign": f"{_ACTIVE} (a silent hidden neuron sends -1)",
    "tanh": "A hidden neuron's activity is a number between -1 and 1: silent means 0 here, active 1, and at other "
    "activities the change is that of A pre post + B pre + C post + D, which agrees with the table at 0 and 1",
}
_SCALED = {
    "unit": "After a change each neuron's incoming weights are scaled to unit length, so its synapses compete.",
    "clip": "After a change each weight is kept between -1 and 1.",
    "oja": "After a change each weight shrinks by eta times the square of the activity of the neuron that it feeds.",
    "none": "Weights are not scaled.",
}

KINDS = {
    "nothing": (0, 0, 0, 0),
    "Hebbian": (0, 0, 0, 1),
    "relatively Hebbian": (1, 0, 0, 0),
    "anti-Hebbian": (0, 0, 0, -1),
    "relatively anti-Hebbian": (-1, 0, 0, 0),
    "non-associative": (1, 1, 1, 1),
}
"""What a half can be, each with an example.

Hebbian: synapses between two active neurons grow stronger, and on the whole those of neurons that do the same gain on
the others. Relatively Hebbian: they gain on the others, but those between two active neurons do not grow.
"""

_GROWS = {-1: "grows weaker", 0: "keeps its strength", 1: "grows stronger"}
_GROW = {-1: "grow weaker", 0: "keep their strength", 1: "grow stronger"}
_MORE = {-1: "weaker", 1: "stronger"}
_WHEN = {
    "punished": "When the agent is punished",
    "rewarded": "When it is rewarded",
    "neutral": "When it is neither punished nor rewarded",
}
_STRONGLY, _SLIGHTLY = 2 / 3, 1 / 3
"""Shares of a rule's largest entry from which on, or below which, a change is called so."""


def plain_words(rule: Rule) -> str:
    """What the rule does, in one to three plain sentences.

    >>> plain_words(Rule("foraging:1"))
    'When the agent is punished, a synapse from an active neuron grows weaker if the neuron it feeds was active too, \
and stronger if it was not. Reward changes nothing.'
    """
    strongest = max(map(abs, rule.entries))
    by_signal = {signal: half_words(part, strongest) for signal, part in rule.by_signal.items() if any(part)}
    if not by_signal:
        return "No synapse ever changes."
    if rule.punished == rule.rewarded:
        always = f"Whether the agent is punished or rewarded, {half_words(rule.punished, strongest)}."
        parts = [always] if any(rule.punished) else []
        by_signal = {signal: words for signal, words in by_signal.items() if signal == "neutral"}
    else:
        parts = []
    parts += [f"{_WHEN[signal]}, {words}." for signal, words in by_signal.items()]
    parts[0] = parts[0].replace("When it", "When the agent", 1)
    silent = [name for name, half in (("Punishment", rule.punished), ("Reward", rule.rewarded)) if not any(half)]
    if silent:
        parts.append(f"{' and '.join(silent).capitalize()} change{'s' * (len(silent) == 1)} nothing.")
    return " ".join(parts)


def note(brain: Mapping[str, Any]) -> str:
    """What the words rest on, for the networks that live by the rule. brain: those of its settings that are unusual

    >>> note({"scaling": "none", "recurrent": True})[-85:]
    'Hidden neurons also hear their own activity of the last step. Weights are not scaled.'
    """
    scaling, trace = str(brain.get("scaling", "unit")), brain.get("trace", 0.0)
    sentences = [
        f"{_ACTIVITIES[brain.get('activation', 'step')]}; of the outputs only the one that acted is active, and the "
        "bias, which feeds every neuron, always is.",
        "Stronger means that the weight, which may be negative, goes up. Situations not named change nothing.",
        "Hidden neurons also hear their own activity of the last step." if brain.get("recurrent") else "",
        f"Past steps take part in a change, each {plain(trace)} times as much as the one after it." if trace else "",
        _SCALED.get(scaling) or f"After a change weights are scaled as {scaling.partition('#')[0]} says.",
    ]
    return " ".join(filter(None, sentences))


def half_words(half: Half, strongest: float = 1.0) -> str:
    """What one half of a rule does: a clause without a full stop. strongest: the largest entry of a real rule"""
    if not is_ternary(half):
        return "; ".join(
            f"a synapse {PAIRS[place]} {_strength(entry, strongest)}" for place, entry in enumerate(half) if entry
        )
    short = _few_words(half)
    if short is not None:
        return short
    if _pieces(half[0::2], half[1::2]) < _pieces(half[:2], half[2:]):
        onto, fed = ("onto an active neuron", "onto a silent neuron"), "the neuron it comes from was active"
        return "; ".join([*_clause(onto[0], f"{fed} too", half, 3, 1), *_clause(onto[1], fed, half, 2, 0)])
    source, feeds = ("from an active neuron", "from a silent neuron"), "the neuron it feeds was active"
    return "; ".join([*_clause(source[0], f"{feeds} too", half, 3, 2), *_clause(source[1], feeds, half, 1, 0)])


def _strength(entry: float, strongest: float) -> str:
    """
    >>> _strength(-0.74, 0.86)
    'weakens strongly (-0.74)'
    """
    share = abs(entry) / max(strongest, abs(entry))
    how = " strongly" if share >= _STRONGLY else " slightly" if share < _SLIGHTLY else ""
    return f"{'weakens' if entry < 0 else 'strengthens'}{how} ({plain(entry)})"


def _few_words(half: Half) -> str | None:
    """The halves that one short clause describes."""
    silent_silent, silent_active, active_silent, active_active = half
    if len(set(half)) == 1:
        return f"every synapse {_GROWS[half[0]]}" if half[0] else "nothing changes"
    for value in (-1, 1):
        if half.count(value) == 1 and half.count(0) == 3:
            return f"a synapse {PAIRS[half.index(value)]} {_GROWS[value]}"
        if half.count(value) == 3:
            odd = next(place for place in range(PER_SIGNAL) if half[place] != value)
            return f"every synapse {_GROWS[value]}, except those {PAIRS[odd]}, which {_GROW[half[odd]]}"
    if silent_silent != active_active or silent_active != active_silent:
        return None
    # All that counts is whether the two neurons did the same.
    if not active_active:
        return f"a synapse {_GROWS[active_silent]} if only one of the two neurons it joins was active"
    both = f"a synapse {_GROWS[active_active]} if the two neurons it joins were both active or both silent"
    return f"{both}, and {_MORE[active_silent]} if only one was active" if active_silent else both


def _pieces(*pairs: Half) -> int:
    """How many statements the pairs of entries need."""
    return sum(len(set(pair) - {0}) for pair in pairs)


def _clause(where: str, condition: str, half: Half, if_active: int, if_silent: int) -> list[str]:
    """One clause, or none where nothing changes. if_active, if_silent: places of the entries with the other neuron in
    that state."""
    active, silent = half[if_active], half[if_silent]
    if active == silent:
        return [f"every synapse {where} {_GROWS[active]}"] if active else []
    if active and silent:
        return [f"a synapse {where} {_GROWS[active]} if {condition}, and {_MORE[silent]} if it was not"]
    return [f"a synapse {PAIRS[if_active if active else if_silent]} {_GROWS[active or silent]}"]


def association(half: Half) -> int:
    """Whether a half favours (+1), disfavours (-1) or ignores (0) synapses of neurons that do the same.

    The sign of (00 + 11) - (01 + 10): the interaction of pre and post in this half.
    """
    contrast = half[0] + half[3] - half[1] - half[2]
    return int(contrast > 0) - int(contrast < 0)


def half_family(half: Half) -> str:
    """One of KINDS.

    >>> half_family((0, 0, 0, 1)), half_family((1, -1, -1, -1))
    ('Hebbian', 'relatively Hebbian')
    """
    sign = association(half)
    if not any(half):
        return "nothing"
    if not sign:
        return "non-associative"
    # Hebb speaks of two active neurons: without that entry only the balance with other synapses is his.
    relatively = "" if half[3] * sign > 0 else "relatively "
    return relatively + {1: "Hebbian", -1: "anti-Hebbian"}[sign]


def plain_family(rule: Rule) -> str:
    """The family of the rule, from the families of its halves.

    >>> plain_family(Rule("00+-/0000")), plain_family(Rule("000-/000+"))
    ('punishment-only, anti-Hebbian', 'reward-modulated Hebbian')
    """
    punished, rewarded, neutral = (half_family(half) for half in (rule.punished, rule.rewarded, rule.neutral))
    if neutral != "nothing":
        signalled = Rule((*rule.punished, *rule.rewarded))
        return (
            f"{plain_family(signalled)}; {neutral} on neutral steps"
            if any(signalled.entries)
            else f"neutral-only, {neutral}"
        )
    if punished == rewarded == "nothing":
        return "inert"
    if rewarded == "nothing":
        return f"punishment-only, {punished}"
    if punished == "nothing":
        return f"reward-only, {rewarded}"
    if punished == rewarded:
        return punished
    if (punished, rewarded) == ("anti-Hebbian", "Hebbian"):
        return "reward-modulated Hebbian"
    if (punished, rewarded) == ("Hebbian", "anti-Hebbian"):
        return "reward-modulated anti-Hebbian"
    return f"{punished} on punishment, {rewarded} on reward"


def situation(place: int) -> str:
    """The situation of one entry as a heading, such as `punished, active → silent`."""
    return f"{SIGNALS[place // PER_SIGNAL]}, {SITUATIONS[place % PER_SIGNAL]}"


# Any rule in words: a plain one as it is, a layered one layer by layer, and what its etas mean.


def in_words(rule: AnyRule) -> str:
    """What the rule does to a synapse; etas are described by `etas_in_words`.

    >>> in_words(LayeredRule("frozen", "000-/0000"))
    'Hidden layer: No synapse ever changes. Output layer: When the agent is punished, a synapse between two active \
neurons grows weaker. Reward changes nothing.'
    """
    if not rule.is_layered:
        return plain_words(rule.layers[0])
    words = [plain_words(layer) for layer in rule.layers]
    if len(set(words)) == 1 and all(rule.parts):
        return f"{_all(rule)}: {words[0]}"
    named = zip(titles(len(words)), words, strict=True)
    return " ".join(f"{title.capitalize()}: {text}" for title, text in named)


def family(rule: AnyRule) -> str:
    """The family of a plain rule, or those of the layers.

    >>> family(LayeredRule("frozen", "000-/000+"))
    'hidden layer frozen, output layer reward-modulated Hebbian'
    """
    if not rule.is_layered:
        return plain_family(rule.layers[0])
    families = ["frozen" if part is None else plain_family(part) for part in rule.parts]
    if len(set(families)) == 1:
        return f"{families[0]} in {_all(rule).lower()}"
    named = [f"{title} {name}" for title, name in zip(titles(len(families)), families, strict=True)]
    return (", " if rule.frozen_hidden else "; ").join(named)


def etas_in_words(rule: AnyRule) -> str | None:
    """What the etas of a layered rule mean for the agent; None for plain rules.

    >>> etas_in_words(LayeredRule("00+-/0000@0.005", "00+-/0000@0.08"))
    'The output layer learns at eta 0.08 and the hidden layer at 0.005, 16 times more slowly.'
    """
    if not isinstance(rule, LayeredRule):
        return None
    *_, output = rule.parts
    if rule.frozen_hidden and output is not None:
        several = len(rule.parts) > LAYERS
        return (
            f"The hidden {'layers are' if several else 'layer is'} frozen: {'their' if several else 'its'} neurons are "
            "random features of what the agent senses, and never change. "
            f"Only the output layer learns{_at(output)}: which of them lead to which action."
        )
    if len(rule.learning) == len(rule.parts) == LAYERS:
        hidden, output = rule.learning
        if hidden.eta is None or output.eta is None:
            return (
                "The hidden layer learns what the agent senses, the output layer what it does; each may have its own "
                "eta."
            )
        return _two_etas(hidden, output, hidden.eta, output.eta)
    named = zip(titles(len(rule.parts)), rule.parts, strict=True)
    return (
        "; ".join(f"{name} {'frozen' if part is None else 'learns' + _at(part)}" for name, part in named).capitalize()
        + "."
    )


def _all(rule: AnyRule) -> str:
    return "Both layers" if len(rule.parts) == LAYERS else f"All {len(rule.parts)} layers"


def _at(rule: Rule) -> str:
    return "" if rule.eta is None else f" (eta {rule.eta_text})"


def _two_etas(hidden: Rule, output: Rule, slow: float, fast: float) -> str:
    if slow == fast:
        same = f" Their rules are the same, so it behaves exactly like {output.short_text}." if hidden == output else ""
        return f"Both layers learn at eta {output.eta_text}.{same}"
    if not slow or not fast:
        still, other = ("hidden", output) if not slow else ("output", hidden)
        return f"At eta 0 the {still} layer never changes; the other learns at {other.eta_text}."
    if slow < fast:
        return (
            f"The output layer learns at eta {output.eta_text} and the hidden layer at "
            f"{hidden.eta_text}, {_times(fast / slow)} more slowly."
        )
    return (
        f"The hidden layer learns at eta {hidden.eta_text} and the output layer at "
        f"{output.eta_text}, {_times(slow / fast)} more slowly."
    )


def _times(ratio: float) -> str:
    """In two digits, never in powers of ten: 16, 1.5, 250."""
    return f"{ratio:.1f} times" if ratio < 9.95 else f"{float(f'{ratio:.2g}'):,.0f} times"


# Graded blame and eligibility in words: how much each judgement counts, and how far back it reaches.

FELT = 0.005
"""What weighs less is not worth a number."""


def blame_in_words(blame: Mapping[str, float], groups: Mapping[str, str]) -> str:
    """How much each judgement changes.

    blame: weights by group, or by the id of an association; 1 where none is given.
    groups: what each group judges, in words; what is not there is named as it is.

    >>> blame_in_words({"open-turn": 0.05}, {"open-turn": "turning in the open", "missed": "missing an item"})
    'Judgements are weighted: turning in the open counts 0.05 times. All others count in full.'
    """
    graded = {name: weight for name, weight in blame.items() if weight != 1}
    if not graded:
        return "Every judgement counts in full."
    named = [(_named(name, groups), weight) for name, weight in graded.items()]
    turned = [
        f"{name} counts {plain(-weight)} times with the opposite sign" for name, weight in named if weight <= -FELT
    ]
    if turned:  # what a negative weight means is said once
        turned[-1] += " (what the rule strengthens is weakened, and vice versa)"
    parts = [
        *(f"{name} counts {plain(weight)} times" for name, weight in named if weight >= FELT),
        *turned,
        *(f"{name} changes next to nothing" for name, weight in named if 0 < abs(weight) < FELT),
        *(f"{name} changes nothing" for name, weight in named if weight == 0),
    ]
    others = "" if set(groups) and set(groups) <= set(graded) else " All others count in full."
    return f"Judgements are weighted: {'; '.join(parts)}.{others}"


def eligibility_in_words(eligibility: float | Mapping[str, float], groups: Mapping[str, str]) -> str:
    """How much the step before takes part in a change: always, or only after the judgements of some groups.

    >>> eligibility_in_words({"missed": 0.5}, {"missed": "a wanted item in view that was not taken"})
    'After some judgements the previous step counts as well: 0.5 times after a wanted item in view that was not taken.'
    """
    by_group = dict(eligibility) if isinstance(eligibility, Mapping) else {}
    felt = {name: factor for name, factor in by_group.items() if abs(factor) >= FELT}
    after = [f"{plain(factor)} times after {_named(name, groups)}" for name, factor in felt.items()]
    if after:
        return f"After some judgements the previous step counts as well: {'; '.join(after)}."
    if isinstance(eligibility, Mapping) or not eligibility:
        return "Only the current step counts."
    return f"The previous step always counts as well, {plain(eligibility)} times as much as the current one."


def _named(name: str, groups: Mapping[str, str]) -> str:
    return groups.get(name, f"association {name}" if name.isdigit() else name)


# A rule as a small table for a terminal; a layered one as two.


def picture(rule: AnyRule) -> str:
    """The rule as a 2 x 4 table for a terminal, or one for each layer."""
    if not rule.is_layered:
        return _picture(rule.layers[0])
    return "\n\n".join(
        f"{title}: frozen" if part is None else f"{title}\n{_picture(part)}" for title, part in titled(rule)
    )


def titled(rule: AnyRule) -> list[tuple[str, Rule | None]]:
    """Each layer with its name and eta."""
    return [
        (name + ("" if part is None or part.eta is None else f", eta {part.eta_text}"), part)
        for name, part in zip(titles(len(rule.parts)), rule.parts, strict=True)
    ]


def titles(layers: int) -> list[str]:
    """
    >>> titles(3)
    ['hidden layer 1', 'hidden layer 2', 'output layer']
    """
    names = (name.partition("hidden") for name in layer_names(layers))
    return [f"{hidden or before} layer {number}".strip() for before, hidden, number in names]


def _picture(rule: Rule) -> str:
    rows = [("", SITUATIONS), *((name, signs(half)) for name, half in rule.by_signal.items())]
    return "\n".join(f"{name:<9} {''.join(cell.center(17) for cell in cells)}".rstrip() for name, cells in rows)


def signs(half: Half) -> list[str]:
    """With real minus signs, which are as wide as the plus, so that the table's signs weigh the same."""
    symbols = [sign(entry) if is_ternary(half) else plain(entry) for entry in half]
    return [symbol.replace("-", "\N{MINUS SIGN}") for symbol in symbols]
