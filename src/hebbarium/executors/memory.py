"""Whether lives and what is kept of them fit into this machine's memory, asked before any of them is lived."""

from __future__ import annotations

import os

from hebbarium.brains.base import Brain
from hebbarium.brains.sizes import Hidden, check_hidden_layers
from hebbarium.executors.threads import check_threads
from hebbarium.tools.errors import BadInput, shown
from hebbarium.worlds.base import World


def room() -> int:
    """Bytes that lives may take: half of the machine's memory; any number where the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):
        return 2**61


def check_fits(name: str, number: int, most: float) -> None:
    """Refuse a number of something if it is larger than what fits in memory."""
    if number > most:
        raise BadInput(
            f"{name} is {shown(number)}, which would not fit in memory; the nearest that fits is {int(most)}."
        )


def check_hidden(
    world: World, given: Hidden | str, kept: int = 0, hands: int | None = None, recurrent: bool = False
) -> Hidden:
    """Refuse hidden layers that would not fit in memory. kept: networks held until the end."""
    hidden = check_hidden_layers(given)
    # Brains, their copy in lanes, scratch: at most twelve networks at once for each thread.
    weights = room() / 8 / (12 * (hands or check_threads(None)) + kept)
    most = int(weights / (world.all_inputs + 1 + world.outputs)) - 1
    if most < 1:
        inputs = f"{world.label} has {shown(world.all_inputs)} inputs and {shown(world.outputs)} actions"
        raise BadInput(f"{inputs}, which would not fit in memory even with one hidden neuron.")
    brain = Brain(hidden=hidden, recurrent=recurrent and bool(hidden))
    if brain.weights(world.all_inputs, world.outputs) > weights:
        nearest = "" if recurrent or isinstance(hidden, tuple) else f"; the nearest that fits is {most}"
        raise BadInput(f"hidden is {shown(given)}, which would not fit in memory{nearest}.")
    return hidden
