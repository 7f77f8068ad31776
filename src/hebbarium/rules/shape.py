"""The shape of a rule: which signals and situations have an entry, and how many layers the paper's network has.

Every width in the package comes from here or from a rule itself.
"""

from __future__ import annotations

SIGNALS = ("punished", "rewarded", "neutral")
"""What a world can say of an action, in the order of a rule's parts. Rules without neutral entries have two parts."""
REINFORCEMENTS = (-1, 1, 0)
"""The signal's number, likewise."""
STATES = ((0, 0), (0, 1), (1, 0), (1, 1))
"""Of the two neurons of a synapse, in the order of the entries: (pre active, post active)."""
PER_SIGNAL = len(STATES)
ENTRIES = 2 * PER_SIGNAL
"""Of the paper's rules: punished and rewarded."""
WIDE = len(SIGNALS) * PER_SIGNAL
"""Of rules that change weights after neutral steps, too."""
RULES: int = 3**ENTRIES
"""The paper's, each entry being -1, 0 or +1."""
LAYERS = 2
"""Of the paper's network: hidden and output."""

SITUATIONS = tuple((signal, pre, post) for signal in REINFORCEMENTS[:2] for pre, post in STATES)
"""(reinforcement, pre active, post active) of each of the paper's entries."""


def signals_of(entries: int) -> tuple[str, ...]:
    """The signals that a rule of so many entries has a part for."""
    return SIGNALS[: entries // PER_SIGNAL]


def layer_names(layers: int) -> tuple[str, ...]:
    """
    >>> layer_names(2), layer_names(3)
    (('hidden', 'output'), ('hidden1', 'hidden2', 'output'))
    """
    hidden = ("hidden",) if layers == LAYERS else tuple(f"hidden{number}" for number in range(1, layers))
    return (*hidden, "output")
