"""Who is measured: this package, the plainly compiled loop, and JAX."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.brains.base import Brain
from hebbarium.executors.base import run
from hebbarium.life.batch import Batch
from hebbarium.life.jobs import Jobs
from hebbarium.rules.rule import Rule
from hebbarium.worlds.base import World
from machine import keep_jax_to_one_thread
from measure import time_lives
from plain_network import LAYOUTS, Layout

BATCHES = {"foraging": (32, 64, 128), "prey-predator": (8, 16, 32)}
"""Lifetimes in a batch that are tried for JAX: sizes around the best that was seen (64 and 16)."""


@dataclass(frozen=True)
class Competitor:
    name: str
    live: Callable[[Rule, int, int], np.ndarray]
    """(rule, lifetimes, seed) -> int64 [lifetime, season, count], whole lives from birth to counts."""
    block: int = 1
    """Lifetimes come in multiples of this."""


def ours(task: World, threads: int = 1) -> Competitor:
    def live(rule: Rule, lifetimes: int, seed: int) -> np.ndarray:
        return run(threads, task, Brain.of(task), Jobs.of_rule(rule, lifetimes, seed)).counts

    return Competitor("hebbarium" if threads == 1 else f"hebbarium, {threads} threads", live, block=64)


def generic(task: World) -> Competitor:
    """The one loop for all worlds, without its accelerations."""

    def live(rule: Rule, lifetimes: int, seed: int) -> np.ndarray:
        batch = Batch(task, Brain.of(task), Jobs.of_rule(rule, lifetimes, seed), fast=False)
        batch.live()
        return batch.counts.swapaxes(0, 1)

    return Competitor("generic loop", live)


def plain_loops(task: World) -> list[Competitor]:
    """The loop in both layouts of the weights."""
    return [_plain(task, name, layout) for name, layout in LAYOUTS.items()]


def _plain(task: World, name: str, layout: Layout) -> Competitor:
    module = _module("plain", task)
    return Competitor(
        f"plain loop, {name}", lambda rule, lifetimes, seed: module.live(rule, lifetimes, seed, task, layout)
    )


def jax_peers(task: World, tune_with: Rule, quick: bool) -> list[Competitor]:
    """The step as one `vmap`, and the one that branches; each with the batch size that suits it best."""
    keep_jax_to_one_thread()
    import jax

    jax.config.update("jax_enable_x64", True)
    batches = BATCHES[task.name][1:2] if quick else BATCHES[task.name]
    return [_tuned(task, tune_with, branching, batches) for branching in (False, True)]


def _tuned(task: World, rule: Rule, branching: bool, batches: tuple[int, ...]) -> Competitor:
    module = _module("jax", task)

    def peer(batch: int) -> Competitor:
        def live(rule: Rule, lifetimes: int, seed: int) -> np.ndarray:
            counts: np.ndarray = module.live(rule, lifetimes, seed, task, batch, branching)
            return counts

        return Competitor(f"JAX{', branching' if branching else ''}", live, batch)

    if len(batches) == 1:
        return peer(batches[0])
    rates = {batch: time_lives(peer(batch), task, rule, batch, seeds=(0, 1))[0] for batch in batches}
    print(f"JAX{', branching' if branching else ''}: lifetimes in a batch, and million steps/s:", end=" ")
    print(", ".join(f"{batch}: {rate / 1e6:.2f}" for batch, rate in rates.items()), flush=True)
    return peer(max(rates, key=rates.__getitem__))


def _module(kind: str, task: World) -> Any:
    return importlib.import_module(f"{kind}_{task.name.replace('-', '_')}")
