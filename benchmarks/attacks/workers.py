"""Workers of a cluster that return what is not so: every answer must be refused, with the worker's name.

One worker of a real local cluster is made to be wrong: in what it returns, or already in what it lives, so that its
checksums agree. Faults in the form are found at once, and so is what changes after it was lived; wrong numbers because
a sample of the work is done twice.
"""

from __future__ import annotations

import contextlib
import dataclasses
import random
from collections.abc import Callable
from typing import Any

import numpy as np

import hebbarium as hb
from attacks.base import Tally, timed
from hebbarium.executors import base, cluster_worker
from hebbarium.executors.cluster import Cluster
from hebbarium.executors.cluster_connect import VERIFY
from hebbarium.tools.errors import ClusterError

LIFE = {"lifetimes": 60, "season_steps": 50, "seasons": 2}
RULE = "00+-/0000@0.04"
Fault = Callable[[Any], Any]


def _counts(change: Callable[[np.ndarray], Any]) -> Fault:
    """A fault in the counts of the first outcome."""

    def fault(lived: Any) -> Any:
        first = lived.outcomes[0]
        return _outcome(lambda one: dataclasses.replace(one, counts=change(first.counts.copy())))(lived)

    return fault


def _outcome(change: Callable[[Any], Any]) -> Fault:
    return lambda lived: dataclasses.replace(lived, outcomes=[change(lived.outcomes[0]), *lived.outcomes[1:]])


def _seen(change: Callable[[dict[str, Any]], Any]) -> Fault:
    return _outcome(lambda one: dataclasses.replace(one, seen=[change(dict(room)) for room in one.seen]))


def _put(value: Any, place: Any = (0, 0, 0)) -> Callable[[np.ndarray], np.ndarray]:
    def put(counts: np.ndarray) -> np.ndarray:
        counts[place] = value
        return counts

    return put


def _more(counts: np.ndarray) -> np.ndarray:
    counts[0, 0, 0] += 1
    return counts


FAULTS: dict[str, Fault] = {
    "one count + 1": _counts(_more),
    "the last count + 1": _counts(
        lambda counts: counts + (np.arange(counts.size) == counts.size - 1).reshape(counts.shape)
    ),
    "two lives exchanged": _counts(lambda counts: counts[np.r_[1, 0, 2 : len(counts)]]),
    "two seasons exchanged": _counts(lambda counts: counts[:, ::-1].copy()),
    "all counts 0": _counts(lambda counts: counts * 0),
    "the first life for all": _counts(lambda counts: np.repeat(counts[:1], len(counts), axis=0)),
    "a negative count": _counts(_put(-1)),
    "a count of 2^62": _counts(_put(2**62)),
    "a count of 2^53": _counts(_put(2**53)),
    "the lowest count there is": _counts(_put(-(2**63))),
    "halves": _counts(lambda counts: counts / 2),
    "floats": _counts(lambda counts: counts.astype(float)),
    "NaN": _counts(lambda counts: counts * np.nan),
    "infinite": _counts(lambda counts: counts + np.inf),
    "complex counts": _counts(lambda counts: counts + 0j),
    "counts of 32 bits": _counts(lambda counts: counts.astype(np.int32)),
    "counts without a sign": _counts(lambda counts: counts.astype(np.uint64)),
    "texts": _counts(lambda counts: counts.astype(str)),
    "objects": _counts(lambda counts: counts.astype(object)),
    "a list": _counts(lambda counts: counts.tolist()),
    "a lifetime too few": _counts(lambda counts: counts[:-1]),
    "a lifetime too many": _counts(lambda counts: np.concatenate([counts, counts[:1]])),
    "a season too few": _counts(lambda counts: counts[:, :-1]),
    "a count too many": _counts(lambda counts: np.concatenate([counts, counts[:, :, :1]], axis=2)),
    "no axis of seasons": _counts(lambda counts: counts[:, 0]),
    "no lifetimes": _counts(lambda counts: counts[:0]),
    "no counts": _counts(lambda counts: None),
    "no outcome": _outcome(lambda one: None),
    "text for an outcome": _outcome(lambda one: "fine"),
    "an array for an outcome": _outcome(lambda one: one.counts),
    "what was seen is missing": _seen(lambda room: {name: array[:-1] for name, array in room.items()}),
    "what was seen is text": _seen(lambda room: dict.fromkeys(room, "seen")),
    "what was seen is 1 more": _seen(lambda room: {name: array + 1 for name, array in room.items()}),
    "too few outcomes": lambda lived: dataclasses.replace(lived, outcomes=lived.outcomes[:-1]),
    "too many outcomes": lambda lived: dataclasses.replace(lived, outcomes=lived.outcomes * 2),
    "None": lambda lived: None,
    "a text": lambda lived: "done",
    "a time that is none": lambda lived: dataclasses.replace(lived, seconds=float("nan")),
    "a time below zero": lambda lived: dataclasses.replace(lived, seconds=-1.0),
    "a time that is text": lambda lived: dataclasses.replace(lived, seconds="soon"),
    "an exception": lambda lived: 1 / 0,
}


OUTCOMES = [name for name, fault in FAULTS.items() if fault.__qualname__.startswith(("_counts", "_outcome", "_seen"))]
"""Faults that change a single outcome, and so can happen while it is lived as well as afterwards."""


def infect(fault: str | None, living: bool = False, rate: float = 1.0) -> None:
    """On a worker: from now on it is wrong; None for no longer. living: in what it lives, so that checksums agree.

    rate: the share of its pieces, drawn at random, that are wrong, where it is wrong while living"""
    cluster_worker.live, base.LivesPiece.live = _LIVE, _LIVED  # type: ignore[method-assign]
    if fault is None:
        return

    def live(*sent: Any) -> Any:
        return FAULTS[fault](_LIVE(*sent))

    def lived(*piece: Any) -> Any:
        outcome = _LIVED(*piece)
        wrong = random.random() < rate
        return FAULTS[fault](cluster_worker.Results([outcome], [], 0.0, "")).outcomes[0] if wrong else outcome

    if living:
        base.LivesPiece.live = lived  # type: ignore[method-assign]
    else:
        cluster_worker.live = live


_LIVE, _LIVED = cluster_worker.live, base.LivesPiece.live


def attack(many: int, seed: int) -> Tally:
    """Each fault in turn, on one worker of three; those that both can be first while living, then after it."""
    tally, draw = Tally("faulty workers"), random.Random(seed)
    cases = [(name, True) for name in OUTCOMES] + [(name, False) for name in FAULTS]
    cases = cases if many >= len(cases) else draw.sample(cases, many)
    whole = hb.live("association", RULE, **LIFE, threads=1).digest
    with hb.cluster("local:3") as here:
        faulty = sorted(here.client.nthreads())[0]
        for name, living in cases:
            with timed(tally):
                _try(tally, here, faulty, name, living, whole)
    return tally


def _try(tally: Tally, here: Cluster, faulty: str, name: str, living: bool, whole: str) -> None:
    """What happens after living must be found without doing anything twice."""
    here.verified.clear()
    here.verify = VERIFY if living else 0.0
    here.client.run(infect, name, living, workers=[faulty])
    what = f"{name}, {'while' if living else 'after'} living"
    try:
        for _ in range(20):  # until the faulty one has had a part in it
            lived = hb.live("association", RULE, **LIFE, threads=here)
            if lived.digest != whole:
                tally.problem(what, "believed")
                return
        tally.problem(what, "never seen")
    except ClusterError as error:
        if faulty in str(error):
            tally.outcomes["refused by name"] += 1
        else:
            tally.problem(what, str(error))
    except ZeroDivisionError:
        tally.outcomes["raised"] += 1
    finally:
        with contextlib.suppress(Exception):
            here.client.run(infect, None, workers=[faulty])
