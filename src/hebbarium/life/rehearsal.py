"""A few hundred steps in a user's world, as plain Python and compiled: both must keep to the contract, and agree.

It is done once for each world and its settings: a stamp beside the compiled code remembers it. Plain Python comes
first, where an index out of range is an error; compiled code would write into other memory.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hebbarium.kernels.compile import inlined, joined, kernel
from hebbarium.kernels.random import WORLD, draw_below, open_stream
from hebbarium.kernels.source_hash import hash_of
from hebbarium.kernels.user_errors import blaming, files_of, not_compiled
from hebbarium.life import loop
from hebbarium.life.loop import (
    act,
    begin,
    choose,
    coast,
    coast_nowhere,
    judge,
    note,
    note_nothing,
    sense,
    turn,
    turn_nothing,
)
from hebbarium.tools.errors import BadInput, shown
from hebbarium.worlds.base import World, frozen
from hebbarium.worlds.checking import (
    UNWRITTEN,
    broken,
    check_groups,
    check_legend,
    check_picture,
    check_words,
    place_of,
    wrong,
)

LIVES, STEPS, SEED = 3, 240, 1
COASTS = 20_000
"""Steps of each life in which `coast` is compared, compiled, with the same steps one by one."""
_SET = 1_000_000
"""Where counts begin, to see that they are added to and not set."""
HINT = "this world is not deterministic: take random numbers from `stream` (draw_unit, draw_below), not from elsewhere"


class StepRecord(NamedTuple):
    """What happened, step by step."""

    senses: np.ndarray
    """uint8 [life, step, input]"""
    signal: np.ndarray
    """int64 [life, step]"""
    association: np.ndarray
    """int64 [life, step]"""
    taken: np.ndarray
    """int64 [life, step]: how many steps `coast` took in place of this one."""
    unlike: np.ndarray
    """int64 [life, step]: one by one, which of them was the first not to sense as the first did, or, below 0, not to be
    judged as it was; 0 for none."""
    counts: np.ndarray
    """int64 [life, step, count]: as they were after the step."""
    chosen: np.ndarray
    """int64 [life, step]: what the perfect agent would have done; 0 where there is none."""
    stream: np.ndarray
    """uint64 [life, step, 2]: the world's random stream after the step."""

    def at(self, life: int, t: int) -> StepRecord:
        return StepRecord(*(array[life, t] for array in self))


_WHO = {
    "senses": "sense",
    "signal": "judge",
    "association": "judge",
    "taken": "coast",
    "unlike": "coast",
    "counts": "act",
    "chosen": "choose",
    "stream": "act",
}


@functools.lru_cache(maxsize=1024)
def check_world(world: World) -> None:
    """Before it is lived in, once for all starts; nothing to do for the package's own."""
    if not world.origin:
        return
    from hebbarium.kernels.cache import cache_folder  # numba: needed only to live

    sources = hash_of(world.kernels().values())
    settings = hashlib.sha256(repr(sorted(world.settings().items())).encode()).hexdigest()[:16]
    folder = cache_folder(sources)
    stamp = None if folder is None else folder / f"checked-{world.name}-{settings}"
    if stamp is not None and stamp.exists():
        return
    with np.errstate(all="ignore"):  # words of 64 bits overflow on purpose
        rehearse(world)
    if stamp is not None:
        with contextlib.suppress(OSError):  # the cache may be deleted at any moment, or the disk be full
            stamp.touch()


@functools.lru_cache(maxsize=16)
def constants_of(world: World) -> Any:
    """The world's constants; those of a user's world cannot be written to, because all lives share them."""
    return frozen(world.constants()) if world.origin else world.constants()


def state_of(world: World, lifetimes: int) -> Any:
    """Room for so many lives. In a user's world each begins with the same row, so that no life depends on its place."""
    if not world.origin:
        return world.new_state(lifetimes)
    one = _check_state(world, world.new_state(1), 1)
    return type(one)(*(np.repeat(array, lifetimes, axis=0) for array in one))


def _check_state(world: World, state: Any, lifetimes: int) -> Any:
    def refused(what: str) -> BadInput:
        return wrong(type(world), "new_state", what)

    if not hasattr(state, "_fields"):
        raise refused(f"new_state must give a NamedTuple, but gives {type(state).__name__}.")
    for name, array in state._asdict().items():
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "biuf" or array.shape[:1] != (lifetimes,):
            found = f"{array.dtype} {list(array.shape)}" if isinstance(array, np.ndarray) else type(array).__name__
            rule = "an array of numbers with one row per life, [lifetimes, ...]"
            raise refused(f"{name} of new_state({lifetimes}) must be {rule}, but is {found}.")
    return state


def parts_of(world: type[World]) -> dict[Any, Any]:
    """What is filled in for the loop's open functions."""
    if world.origin:
        from hebbarium.life import checked_world  # numba: needed only to live

        return checked_world.parts_of(world)
    return {getattr(loop, name): function for name, function in world.kernels().items()}


def think_perfectly(world: type[World]) -> Any:
    """What is filled in for `think` of the perfect agent."""
    if world.origin:
        from hebbarium.life import checked_world

        return checked_world.think_perfectly
    return loop.think_perfectly


def rehearse(world: World) -> None:
    """Raise BadInput with file and line where the world does not keep to its contract."""
    _check_inputs(world)
    check_groups(world)
    check_legend(world)
    with blaming(_files(world)):
        constants = constants_of(world)
    if not hasattr(constants, "_fields"):
        raise wrong(type(world), "constants", f"constants must be a NamedTuple, but is {type(constants).__name__}.")
    record = _Plain(world, constants).live()
    again = _Plain(world, constants).live()
    _check_same(world, record, again, HINT, "a second time")
    script = [_script(world, i) for i in range(LIVES)]
    seasons, actions = (np.array([[step[place] for step in life] for life in script]) for place in (1, 2))
    compiled, _ = _compiled(world, constants, seasons, actions)
    _check_same(world, record, compiled, "compiled code does something else", "compiled")
    if "coast" in world.kernels():
        _check_coast(world, constants)
    _check_scores(world, record)


def _files(world: World) -> list[Path]:
    return files_of(type(world).__module__)


def _check_inputs(world: World) -> None:
    with blaming(_files(world)):
        actions, inputs, names, outputs = world.actions, world.inputs, world.input_names, world.outputs
    check_words(type(world), "actions", actions, 2)
    if not isinstance(inputs, int) or inputs < 1:
        raise wrong(type(world), "inputs", f"inputs must be a whole number of at least 1, but is {inputs!r}.")
    if not isinstance(names, tuple) or len(names) != inputs or not all(isinstance(name, str) for name in names):
        rule = f"a tuple of {inputs} words, one for each input"
        raise wrong(type(world), "input_names", f"input_names must be {rule}, but is {shown(names)}.")
    if len(actions) != outputs:
        raise wrong(type(world), "actions", f"actions has {len(actions)} names for {outputs} outputs.")
    if not isinstance(world.turns, tuple) or not all(turn in range(outputs) for turn in world.turns):
        rule = f"a tuple of actions, 0 to {outputs - 1}"
        raise wrong(type(world), "turns", f"turns must be {rule}, but is {shown(world.turns)}.")


class _Plain:
    """Lives in plain Python."""

    def __init__(self, world: World, constants: Any) -> None:
        self.world, self.constants = world, constants
        self.kind = type(world)
        self.files = _files(world)
        self.functions = world.kernels()
        with blaming(self.files):
            self.state = _check_state(world, world.new_state(LIVES), LIVES)

    def live(self) -> StepRecord:
        record = _new_record(self.world)
        for i in range(LIVES):
            others = self._others(i)
            self._live(i, record)
            if others != self._others(i):
                raise wrong(self.kind, "act", f"a life in row {i} of the state has changed another row.")
        return record

    def _others(self, i: int) -> list[bytes]:
        return [np.delete(array, i, axis=0).tobytes() for array in self.state]

    def _live(self, i: int, record: StepRecord) -> None:
        stream = np.zeros(2, np.uint64)
        open_stream(stream, np.uint64(SEED), np.uint64(i), WORLD)
        notes = self.world.new_notes(STEPS)
        self._call("begin", i, stream)
        for t, season, action in _script(self.world, i):
            if t == 0 or season != _season(self.world, t - 1):
                self._call("turn", i, season, stream)
            senses = record.senses[i, t]
            senses[:] = UNWRITTEN
            self._call("sense", i, senses)
            for number in np.flatnonzero(senses > 1):
                raise broken(self.kind, "sense", number, senses[number], len(senses))
            record.chosen[i, t] = self._choose(i, season, stream)
            record.signal[i, t], record.association[i, t] = self._judge(i, season, action, stream)
            if notes is not None:
                self._call("note", i, notes, t)
            before, counts = record.counts[i, t - 1] if t else 0, record.counts[i, t]
            counts[:] = before + _SET
            record.taken[i, t] = self._coast(i, season, action, _most(t), counts)
            if record.taken[i, t] == 0:
                self._call("act", i, season, action, counts, stream)
            counts -= _SET
            for place in np.flatnonzero(counts < before):
                raise broken(self.kind, "act", place)
            record.stream[i, t] = stream
        with blaming(self.files):
            picture = self.world.picture(self.constants, self.state, i)
        check_picture(self.world, picture)

    def _call(self, name: str, i: int, *rest: Any) -> Any:
        if name not in self.functions:
            return None
        with blaming(self.files):
            return self.functions[name](self.constants, self.state, i, *rest)

    def _coast(self, i: int, season: int, action: int, most: int, counts: np.ndarray) -> int:
        """It is given the row of one life alone, as in any life."""
        if "coast" not in self.functions:
            return 0
        before, own = counts.copy(), type(self.state)(*(array[i : i + 1] for array in self.state))
        with blaming(self.files):
            taken = self.functions["coast"](self.constants, own, 0, season, action, most, counts)
        if not _is_whole(taken) or not 0 <= taken <= most:
            raise broken(self.kind, "coast", taken, most)
        for place in np.flatnonzero(counts < before):
            raise broken(self.kind, "coast", place)
        return int(taken)

    def _choose(self, i: int, season: int, stream: np.ndarray) -> int:
        """Only looked at: it draws from a copy of the stream."""
        if "choose" not in self.functions:
            return 0
        action = self._call("choose", i, season, stream.copy())
        if not _is_whole(action) or not 0 <= action < self.world.outputs:
            raise broken(self.kind, "choose", action, self.world.outputs)
        return int(action)

    def _judge(self, i: int, season: int, action: int, stream: np.ndarray) -> tuple[int, int]:
        gave = self._call("judge", i, season, action, stream)
        if not isinstance(gave, tuple) or len(gave) != 2 or not all(_is_whole(part) for part in gave):
            raise wrong(
                self.kind,
                "judge",
                f"judge gives {gave!r}, but must give two whole numbers: signal and association id.",
            )
        signal, number = int(gave[0]), int(gave[1])
        if (number, signal) not in {(row.id, row.signals[season]) for row in self.world.associations}:
            raise broken(self.kind, "judge", season, signal, number)
        return signal, number


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer, np.bool_))


@inlined
def _most(t):
    """How many steps `coast` may take."""
    return 1 << t % 8


def _season(world: World, t: int) -> int:
    """Each kind in turn, for a few steps."""
    return t * 2 * len(world.kinds) // STEPS % len(world.kinds)


def _script(world: World, i: int) -> list[tuple[int, int, int]]:
    """(step, kind of season, action) of a life: the actions are random, but always the same."""
    stream = np.zeros(2, np.uint64)
    open_stream(stream, np.uint64(SEED), np.uint64(i), 1 - WORLD)
    return [(t, _season(world, t), int(draw_below(stream, world.outputs))) for t in range(STEPS)]


def _new_record(world: World, steps: int = STEPS) -> StepRecord:
    return StepRecord(
        senses=np.zeros((LIVES, steps, world.inputs), np.uint8),
        signal=np.zeros((LIVES, steps), np.int64),
        association=np.zeros((LIVES, steps), np.int64),
        taken=np.zeros((LIVES, steps), np.int64),
        unlike=np.zeros((LIVES, steps), np.int64),
        counts=np.zeros((LIVES, steps, len(world.counts)), np.int64),
        chosen=np.zeros((LIVES, steps), np.int64),
        stream=np.zeros((LIVES, steps, 2), np.uint64),
    )


@inlined
def choose_nothing(constants, state, i, season, stream):
    return 0


@kernel
def live_script(constants, state, notes, seeds, seasons, actions, record, apart):
    """seeds: uint64 [life, 2], seed and trial. seasons, actions: int64 [life, step]

    apart: whether the steps that `coast` took, which are in the record, are taken one by one"""
    stream, again = np.zeros(2, np.uint64), np.zeros_like(record.senses[0, 0])
    for i in range(actions.shape[0]):
        open_stream(stream, seeds[i, 0], seeds[i, 1], WORLD)
        begin(constants, state, i, stream)
        for t in range(actions.shape[1]):
            season, action = seasons[i, t], actions[i, t]
            if t == 0 or season != seasons[i, t - 1]:
                turn(constants, state, i, season, stream)
            sense(constants, state, i, record.senses[i, t])
            record.chosen[i, t] = choose(constants, state, i, season, stream.copy())
            record.signal[i, t], record.association[i, t] = judge(constants, state, i, season, action, stream)
            note(constants, state, i, notes, t)
            if t > 0:
                record.counts[i, t] = record.counts[i, t - 1]
            counts = record.counts[i, t]
            if not apart:
                record.taken[i, t] = coast(constants, state, i, season, action, _most(t), counts)
            if apart or record.taken[i, t] == 0:
                act(constants, state, i, season, action, counts, stream)
            if apart:
                for step in range(2, record.taken[i, t] + 1):
                    sense(constants, state, i, again)
                    signal, association = judge(constants, state, i, season, action, stream)
                    if record.unlike[i, t] == 0 and (again != record.senses[i, t]).any():
                        record.unlike[i, t] = step
                    if signal != record.signal[i, t] or association != record.association[i, t]:
                        record.unlike[i, t] = record.unlike[i, t] or -step
                    act(constants, state, i, season, action, counts, stream)
            record.stream[i, t] = stream


def _compiled(
    world: World, constants: Any, seasons: np.ndarray, actions: np.ndarray, taken: np.ndarray | None = None
) -> tuple[StepRecord, Any]:
    """Also the state in the end. taken: as in the record, by steps that are now taken one by one"""
    parts: dict[Any, Any] = {turn: turn_nothing, choose: choose_nothing, note: note_nothing, coast: coast_nowhere}
    parts |= parts_of(type(world))
    seeds = np.array([(SEED, i) for i in range(LIVES)], np.uint64)
    record, state, steps = _new_record(world, actions.shape[1]), state_of(world, LIVES), actions.shape[1]
    record.taken[:] = 0 if taken is None else taken
    lived = joined(live_script, parts, world.name.replace("-", "_"))
    try:
        lived(constants, state, world.new_notes(steps), seeds, seasons, actions, record, taken is not None)
    except BadInput:
        raise  # it was compiled, and has said where it failed
    except Exception as error:
        raise not_compiled(error, type(world).__module__, place_of(type(world), "act")) from error
    return record, state


def _check_coast(world: World, constants: Any) -> None:
    """Many steps at once must be the same as one by one."""

    def refused(what: str) -> BadInput:
        return wrong(type(world), "coast", what)

    kinds = len(world.kinds)
    seasons = np.tile(np.arange(COASTS) * 2 * kinds // COASTS % kinds, (LIVES, 1))
    actions = np.random.default_rng(SEED).integers(world.outputs, size=seasons.shape)
    record, state = _compiled(world, constants, seasons, actions)
    apart, other = _compiled(world, constants, seasons, actions, record.taken)
    pairs = zip(record, apart, strict=True)
    differ = np.array([(ours != theirs).reshape(LIVES, COASTS, -1).any(axis=2) for ours, theirs in pairs])
    if differ.any():
        t = int(np.flatnonzero(differ.any(axis=(0, 1)))[0])
        place, life = np.argwhere(differ[:, :, t])[0]
        raise refused(_unlike(record._fields[place], *(one.at(life, t) for one in (record, apart))))
    for name, ours, theirs in zip(state._fields, state, other, strict=True):
        if ours.tobytes() != theirs.tobytes():
            raise refused(f"coast leaves {name} of the state other than as many steps one by one.")


def _unlike(name: str, ours: StepRecord, theirs: StepRecord) -> str:
    """What to say where this is the first to differ: of steps at once, and of the same one by one."""
    steps = f"coast takes {ours.taken} step{'s' * bool(ours.taken != 1)}"
    if name == "unlike":
        how = "senses something else than" if theirs.unlike > 0 else "is judged in another way than"
        return f"{steps}, but step {abs(theirs.unlike)} {how} step 1."
    if name == "stream":
        return f"{steps}, but one by one they draw random numbers."
    if name == "counts":
        return f"{steps}, but counts are then {ours.counts.tolist()}, one by one {theirs.counts.tolist()}."
    return "coast leaves the state other than as many steps one by one."


def _check_same(world: World, record: StepRecord, other: StepRecord, what: str, otherwise: str) -> None:
    """Two lives in which nothing may differ."""
    for t, (name, ours) in itertools.product(range(STEPS), record._asdict().items()):
        theirs = getattr(other, name)
        differ = (ours[:, t] != theirs[:, t]).reshape(LIVES, -1).any(axis=1)
        if differ.any():
            life, who = int(np.flatnonzero(differ)[0]), _WHO[name]
            first = f"the first to show it is {who} at step {t + 1}"
            given = f"{name} {ours[life, t].tolist()}, {otherwise} {theirs[life, t].tolist()}"
            raise wrong(type(world), who, f"{what}; {first}: {given}.")


def _check_scores(world: World, record: StepRecord) -> None:
    counts = np.repeat(record.counts[:, -1:], world.seasons, axis=1)
    with blaming(_files(world)):
        scores = world.fitness(counts)
    if np.shape(scores) != (LIVES, world.seasons):
        shape = f"{list(np.shape(scores))} for {LIVES} lifetimes and {world.seasons} seasons"
        raise wrong(
            type(world), "fitness", f"fitness must give one number for each, [lifetime, season], but gives {shape}."
        )
    if np.asarray(scores).dtype.kind not in "biuf":
        found = np.asarray(scores).dtype
        raise wrong(type(world), "fitness", f"fitness must give numbers such as float64, but gives {found}.")
    if not np.isfinite(scores).all():
        raise wrong(
            type(world), "fitness", f"fitness gives {np.asarray(scores).ravel().tolist()[0]}, which is no number."
        )
