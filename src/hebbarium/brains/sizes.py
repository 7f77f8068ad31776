"""How many hidden layers there are, and of how many neurons."""

from __future__ import annotations

from hebbarium.tools.errors import BadInput, check_integer, shown

Hidden = int | str | tuple[int, ...]
"""Neurons of the hidden layer, or of each of several, such as 20,10; 0 where there is none."""


def check_hidden_layers(given: object) -> int | tuple[int, ...]:
    """A number, several, or such numbers as text with commas between; one for one hidden layer, 0 for none."""
    if isinstance(given, str):
        words = [word.strip() for word in given.split(",")]
        if not all(word.isascii() and word.isdigit() and len(word) < 19 for word in words):
            raise BadInput(f"hidden is {shown(given)}, but must be numbers of neurons, such as 20, 20,10 or 0.")
        given = [int(word) for word in words]
    if isinstance(given, (tuple, list)) and given:
        sizes = tuple(check_integer("hidden", size, 1 if len(given) > 1 else 0) for size in given)
        return sizes if len(sizes) > 1 else sizes[0]
    return check_integer("hidden", given, 0)


def plain_hidden(hidden: Hidden) -> int | list[int]:
    """As JSON has it."""
    checked = check_hidden_layers(hidden)
    return checked if isinstance(checked, int) else list(checked)


def sizes_of(hidden: Hidden) -> tuple[int, ...]:
    """Neurons of each hidden layer."""
    checked = check_hidden_layers(hidden)
    if isinstance(checked, int):
        return (checked,) if checked else ()
    return checked
