"""How long a world's own functions take, without any network: no loop can live in it faster, step by step.

python benchmarks/worlds_alone.py [--rounds 9]

Lives are traced; then `sense`, `judge` and `act` are called again with the actions that were taken, and must come to
the same counts. A user's world is measured with the checks of every step, as it is lived in, and without. Prints
nanoseconds of processor time a step, the least of the rounds, beside those of whole lives; and the share of steps in
which weights changed.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import hebbarium as hb
from hebbarium.brains.base import Brain
from hebbarium.kernels import compile
from hebbarium.kernels.compile import Kernel, creating, inlined, joined, kernel, opened, with_values
from hebbarium.kernels.stack import stacked
from hebbarium.life import loop
from hebbarium.life.batch import Batch, TraceRoom
from hebbarium.life.cue import parts_of
from hebbarium.life.fast.any_world_remembering import ROOM, sense_unchecked, sense_word
from hebbarium.life.jobs import Jobs
from hebbarium.life.loop import act, judge
from hebbarium.rules.layered import read_rule
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import make_world

LIVES, SEED = 64, 11
RULES = ("00+-/0000@0.04", "-0+-/+0-+@0.04")
"""One that learns from punishment only, one from both."""


@kernel
def replay(constants, state, streams, season, counts, actions):
    """As in the loop that remembers: stream and senses on the stack. actions: int8 [lifetime, step]

    Returns something of all that was sensed and judged, so that nothing can be left out."""
    seen, like = 0, new_byte()
    for i in range(actions.shape[0]):
        seen += live_again(constants, state, streams[i], i, season, counts[i], actions[i], like)
    return seen


@creating
def new_byte():
    return np.zeros(1, np.uint8)


INPUTS = 0
"""A constant of each world's own kernel, as in the loops for lives."""


@opened
def live_again(constants, state, stream, i, season, counts, actions, like):
    """One of these lives."""


@inlined
def replay_life(constants, state, stream, i, season, counts, actions, like):
    seen, own = 0, stacked(stream, 2, 2)
    own[0], own[1] = stream[0], stream[1]
    room = stacked(like, ROOM, ROOM)
    for j in range(ROOM):
        room[j] = 0
    for t in range(actions.shape[0]):
        seen += sense_word(constants, state, i, room, INPUTS)
        signal, _ = judge(constants, state, i, season, np.int64(actions[t]), own)
        act(constants, state, i, season, np.int64(actions[t]), counts, own)
        seen += signal
    stream[0], stream[1] = own[0], own[1]
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        pond = Path(folder) / "pond.py"
        hb.new_world("pond", str(pond))
        print(f"{'world, rule':36} {'checked':>9} {'unchecked':>9} {'whole':>9}  changes")
        for task in ("t-maze", "association", str(pond), str(Path(__file__).parent / "meadow.py")):
            for rule in RULES:
                measure(make_world(task), rule, rounds)


def measure(world: World, rule: str, rounds: int) -> None:
    lives = [traced(world, rule, trial) for trial in range(LIVES)]
    actions = np.array([room.steps.action for _, room in lives])
    counts = np.concatenate([batch.counts for batch, _ in lives], axis=1)
    signals = np.array([room.steps.reinforcement for _, room in lives])
    learns = ((signals < 0) if rule == RULES[0] else (signals != 0)).mean()
    own: dict[Any, Any] = {sense_word: sense_unchecked} | {
        getattr(loop, name): function for name, function in type(world).kernels().items()
    }
    own[live_again] = again = with_values(replay_life, INPUTS=world.inputs)
    checked = {**parts_of(type(world), False), live_again: again}
    ways = {"checked": joined(replay, checked, world.name)} if world.origin else {}
    ways["unchecked"] = joined(replay, own, f"{world.name}_unchecked")
    least = dict.fromkeys(("checked", "unchecked", "whole"), float("nan"))
    for number in range(rounds + 1):
        for name, one in ways.items():
            outside = compile.is_outside
            if name == "unchecked":
                compile.is_outside = lambda _: False
            seconds = replayed(world, rule, one, actions, counts)
            compile.is_outside = outside
            if number:
                least[name] = np.nanmin([least[name], seconds])
        batch = Batch(world, Brain.of(world), jobs_of(rule))
        start = time.process_time()
        batch.live()
        if number:
            least["whole"] = np.nanmin([least["whole"], time.process_time() - start])
    each = [1e9 * seconds / actions.size for seconds in least.values()]
    print(f"{world.name + ', ' + rule:36} {each[0]:9.1f} {each[1]:9.1f} {each[2]:9.1f}  {learns:.3f}", flush=True)


def jobs_of(rule: str) -> Jobs:
    return Jobs.of_rule(read_rule(rule), LIVES, SEED)


def traced(world: World, rule: str, trial: int) -> tuple[Batch, TraceRoom]:
    batch = Batch(world, Brain.of(world), jobs_of(rule)[trial : trial + 1])
    batch.trace = TraceRoom(world, 0, world.steps)
    batch.advance(world.steps)
    return batch, batch.trace


def replayed(world: World, rule: str, one: Kernel, actions: np.ndarray, expected: np.ndarray) -> float:
    """Seconds."""
    batch, seconds = Batch(world, Brain.of(world), jobs_of(rule)), 0.0
    for season, kind in enumerate(world.season_kinds):
        if batch.loops.turn is not None:
            batch.loops.turn(batch.constants, batch.state, batch.streams, kind)
        some = actions[:, season * world.season_steps :][:, : world.season_steps].copy()
        start = time.process_time()
        one(batch.constants, batch.state, batch.streams, kind, batch.counts[season], some)
        seconds += time.process_time() - start
    assert np.array_equal(batch.counts, expected)
    return seconds


if __name__ == "__main__":
    main()
