"""Generated foraging lives, and their comparison with the slow twin: bit for bit.

A neighbourhood is some lives that share a world's settings and a network's size, so that they may run
in one batch; a case is one of its lives. Everything follows from the neighbourhood's number.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

import naive_foraging
from hebbarium.brains.network_files import Networks
from hebbarium.life.batch import Batch, TraceRoom
from hebbarium.life.jobs import Jobs
from hebbarium.rules.rule import Rule
from hebbarium.worlds.foraging import Foraging
from lives import batch_of, traced

NEIGHBOURHOODS = 63
CASES = 4
"""Lives of each neighbourhood that are compared; the others only keep them company."""
COMPANY = 7


@dataclass(frozen=True)
class Neighbourhood:
    task: Foraging
    hidden: int
    rules: list[Rule]
    seeds: list[int]
    trials: list[int]
    networks: Networks | None

    @property
    def jobs(self) -> Jobs:
        return Jobs.of(self.rules, self.seeds, self.trials)


def neighbourhood(number: int) -> Neighbourhood:
    chance = random.Random(number)
    task, lives = _task(chance, number), CASES + COMPANY
    hidden = chance.choice([1, 2, 3, 5, 8, 10, 13, 16, 20, 25, 32, 40])
    return Neighbourhood(
        task,
        hidden,
        [_rule(chance, kind) for kind in range(lives)],
        [chance.choice([0, 1, 7, 2**32, 2**64 - 1, chance.getrandbits(64)]) for _ in range(lives)],
        [chance.choice([0, 1, 1000, 2**63, chance.getrandbits(20)]) for _ in range(lives)],
        _networks(chance, lives, hidden) if number % 7 == 3 else None,
    )


def _task(chance: random.Random, number: int) -> Foraging:
    # Bit boards of one, two and three words, their edges, and worlds so small or full that little is empty.
    size = [5, 6, 9, 16, 33, 62, 63, 64, 65, 66, 67, 100, 126, 127, 128, 129, 130, 131, 150][number % 19]
    free = size - 2
    items = [0, 1, free, free * free // 2, min(free * free - 2, 150)][chance.randrange(5)]
    green = chance.randint(0, items)
    season_steps = chance.choice([1, 97, 256, 500, 777])
    return Foraging(
        grid_size=size,
        wall=chance.choice(["inside", "outside"]),
        turn_at_wall=chance.random() < 0.6,
        priority=chance.choice(["entered", "items"]),
        green=green,
        blue=items - green,
        random_action=chance.choice([0, 0.0005, 0.02, 0.02, 0.1, 0.5, 1]),
        schedule=chance.choice(["summer,winter", "winter,summer", "summer", "winter", "summer, winter, winter"]),
        season_steps=season_steps,
        seasons=-(-1500 // season_steps),
    )


def _rule(chance: random.Random, kind: int) -> Rule:
    """The compared lives (kinds 0 to 3) punish only, do both, only reward, or are anything at all."""
    punished = [chance.choice([-1, 0, 1]) for _ in range(4)]
    rewarded = [chance.choice([-1, 0, 1]) for _ in range(4)]
    if kind == 0:
        rewarded = [0, 0, 0, 0]
    if kind == 2:
        punished = [0, 0, 0, 0]
    if kind == 3 and chance.random() < 0.3:
        punished = rewarded = [0, 0, 0, 0]
    eta = chance.choice([0.0, 0.0005, 0.01, 0.04, 0.0375, 0.1, 0.25, 0.5, 0.999, chance.random()])
    return Rule([*punished, *rewarded], eta)


def _networks(chance: random.Random, lives: int, hidden: int) -> Networks:
    """Weights that were never scaled, some neurons with none at all, some alike: ties and zero vectors."""
    few = [0.0, 0.5, -0.5, 1.0, 3.0]
    draw = np.vectorize(lambda _: chance.choice(few) if chance.random() < 0.7 else chance.uniform(-2, 2))
    hidden_weights = draw(np.zeros((lives, hidden, 7)))
    output_weights = draw(np.zeros((lives, 3, hidden + 1)))
    hidden_weights[:, :: chance.randint(1, 3)] = 0.0
    for output in output_weights:
        alike = chance.sample(range(3), chance.randint(1, 3))
        output[alike] = chance.choice([0.0, output[alike[0]].copy()])
    return Networks("foraging", hidden_weights, output_weights)


def check_neighbourhood(number: int) -> None:
    """Its cases live in company, alone and traced, and each must be its twin's life."""
    near = neighbourhood(number)
    order = random.Random(number).sample(range(CASES + COMPANY), CASES + COMPANY)
    together = batch_of(near.task, near.hidden, _rows(near.jobs, order), _some(near.networks, order))
    together.advance(near.task.steps)
    for case in range(CASES):
        weights = None if near.networks is None else (near.networks.hidden[case], near.networks.output[case])
        twin = naive_foraging.live(
            near.task,
            near.hidden,
            near.rules[case].entries,
            near.rules[case].eta or 0.0,
            near.seeds[case],
            near.trials[case],
            None if weights is None else (weights[0].tolist(), weights[1].tolist()),
        )
        _check_same(together, order.index(case), twin, f"neighbourhood {number}, case {case}, in company")
        for how in ("alone", "by the generic loop", "traced"):
            alone = batch_of(
                near.task,
                near.hidden,
                _rows(near.jobs, [case]),
                _some(near.networks, [case]),
                fast=how != "by the generic loop",
            )
            where = f"neighbourhood {number}, case {case}, {how}"
            if how == "traced":
                _check_trace(traced(alone), twin, where)
            alone.advance(near.task.steps)
            _check_same(alone, 0, twin, where)


def _rows(jobs: Jobs, rows: list[int]) -> Jobs:
    return Jobs(jobs.entries[rows], jobs.eta[rows], jobs.seed[rows], jobs.trial[rows])


def _some(networks: Networks | None, rows: list[int]) -> Networks | None:
    return None if networks is None else Networks(networks.task, networks.hidden[rows], networks.output[rows])


def _check_same(batch: Batch, row: int, twin: naive_foraging.Life, where: str) -> None:
    assert batch.counts[:, row].tolist() == twin.counts, where
    networks = batch.networks()
    assert networks.hidden[row].tobytes() == np.array(twin.hidden).tobytes(), where
    assert networks.output[row].tobytes() == np.array(twin.output).tobytes(), where


def _check_trace(trace: TraceRoom, twin: naive_foraging.Life, where: str) -> None:
    for name, values in trace.columns().items():
        if name == "senses":
            expected = np.array([[bit for cell in step.sensed for bit in (cell >> 1, cell & 1)] for step in twin.steps])
        else:
            expected = np.array([getattr(step, name) for step in twin.steps], values.dtype)
        different = (values != expected).reshape(len(values), -1).any(axis=1)
        assert not different.any(), f"{where}: {name} first differs at step {different.argmax()}"
