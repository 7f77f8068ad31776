"""Any rule in words: a plain one as it is, a layered one layer by layer, and what its etas mean."""

from __future__ import annotations

from hebbarium.rules.layered import LayeredRule
from hebbarium.rules.rule import AnyRule, Rule
from hebbarium.rules.words.plain import plain_family, plain_words


def in_words(rule: AnyRule) -> str:
    """What the rule does to a synapse; etas are told by `etas_in_words`.

    >>> in_words(LayeredRule("frozen", "000-/0000"))
    'Hidden layer: No synapse ever changes. Output layer: When the agent is punished, a synapse between two active \
neurons grows weaker. Reward changes nothing.'
    """
    hidden, output = (plain_words(layer) for layer in rule.layers)
    if not rule.is_layered:
        return output
    if hidden == output and not rule.frozen_hidden:
        return f"Both layers: {output}"
    return f"Hidden layer: {hidden} Output layer: {output}"


def family(rule: AnyRule) -> str:
    """The family of a plain rule, or those of the layers.

    >>> family(LayeredRule("frozen", "000-/000+"))
    'hidden layer frozen, output layer reward-modulated Hebbian'
    """
    hidden, output = (plain_family(layer) for layer in rule.layers)
    if not rule.is_layered:
        return output
    if rule.frozen_hidden:
        return f"hidden layer frozen, output layer {output}"
    return f"{output} in both layers" if hidden == output else f"hidden layer {hidden}; output layer {output}"


def etas_in_words(rule: AnyRule) -> str | None:
    """What the etas of a layered rule mean for the agent; None for plain rules.

    >>> etas_in_words(LayeredRule("00+-/0000@0.005", "00+-/0000@0.08"))
    'The output layer learns at eta 0.08 and the hidden layer at 0.005, 16 times more slowly.'
    """
    if not isinstance(rule, LayeredRule):
        return None
    if rule.hidden is None:
        return (
            "The hidden layer is frozen: its neurons are random features of what the agent senses, and never change. "
            f"Only the output layer learns{_at(rule.output)}: which of them lead to which action."
        )
    if rule.hidden.eta is None or rule.output.eta is None:
        return (
            "The hidden layer learns what the agent senses, the output layer what it does; each may have its own eta."
        )
    return _two_etas(rule.hidden, rule.output, rule.hidden.eta, rule.output.eta)


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
