"""Any rule in words: a plain one as it is, a layered one layer by layer, and what its etas mean."""

from __future__ import annotations

from hebbarium.rules.layered import LayeredRule
from hebbarium.rules.rule import AnyRule, Rule
from hebbarium.rules.shape import LAYERS
from hebbarium.rules.words.picture import titles
from hebbarium.rules.words.plain import plain_family, plain_words


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
