"""Generated prey-predator lives, and their comparison with the slow twin: bit for bit.

A neighbourhood is some lives that share a world's settings and a network's size, so that they may run
in one batch; a case is one of its lives. Everything follows from the neighbourhood's number.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

import naive_prey_predator
from hebbarium.brains.network_files import Networks
from hebbarium.life.batch import Batch, TraceRoom
from hebbarium.life.jobs import Jobs
from hebbarium.rules.rule import RULES, Rule
from hebbarium.worlds.prey_predator import PreyPredator
from lives import batch_of, traced

NEIGHBOURHOODS = 36
CASES = 3
"""Lives of each neighbourhood that are compared; the others only keep them company."""
COMPANY = 2
STEPS = 1000


@dataclass(frozen=True)
class Neighbourhood:
    task: PreyPredator
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
    lives = CASES + COMPANY
    as_published = number % 18 == 17
    task = PreyPredator(season_steps=STEPS // 2) if as_published else _task(chance)
    hidden = 50 if as_published else chance.choice([1, 2, 3, 5, 7, 8, 9, 16])
    return Neighbourhood(
        task,
        hidden,
        [_rule(chance) for _ in range(lives)],
        [chance.choice([0, 1, 7, 2**32, 2**64 - 1, chance.getrandbits(64)]) for _ in range(lives)],
        [chance.choice([0, 1, 1000, 2**63, chance.getrandbits(20)]) for _ in range(lives)],
        _networks(chance, lives, hidden, task.inputs + 1) if number % 6 == 2 else None,
    )


def _task(chance: random.Random) -> PreyPredator:
    # Boards of all sizes, and worlds so small or full that objects block and meet each other all the time.
    size = chance.choice([5, 6, 7, 9, 12, 16, 25, 60, 100, 130])
    free = size - 2
    most = min(free * free - 2, 70)
    objects = chance.choice([0, 1, 2, min(20, most), min(45, most), most])
    green = chance.choice([0, objects // 2, chance.randint(0, objects), objects])
    width, depth = chance.choice([(9, 5), (9, 5), (5, 3), (1, 2), (3, 1), (3, 3), (11, 2), (5, 7)])
    season_steps = chance.choice([97, 256, 500, 777])
    return PreyPredator(
        grid_size=size,
        wall=chance.choice(["inside", "outside"]),
        turn_at_wall=chance.random() < 0.6,
        green=green,
        blue=objects - green,
        view_width=width,
        view_depth=depth,
        notice_distance=chance.choice([0, 1, 2**0.5, 3.0, 3.0, 5**0.5, 6.5, 1000]),
        notice_probability=chance.choice([0, 0.4, 0.4, 0.9, 1]),
        neighbourhood=chance.choice([4, 8]),
        stepping_counts=chance.random() < 0.5,
        random_action=chance.choice([0, 0.02, 0.02, 0.1, 1]),
        schedule=chance.choice(["summer,winter", "winter,summer", "summer", "winter", "summer, winter, winter"]),
        season_steps=season_steps,
        seasons=-(-STEPS // season_steps),
        move_probability=chance.choice([1, 1, 1, 0.3, 0]),
    )


def _rule(chance: random.Random) -> Rule:
    """One of the paper's, or any, often one that acts on punishment or reward alone."""
    if chance.random() < 0.4:
        return Rule(f"prey-predator:{chance.randint(1, 6)}")
    entries = list(Rule(chance.randrange(RULES), 0.0).entries)
    if chance.random() < 0.4:
        start = chance.choice([0, 4])
        entries[start : start + 4] = [0, 0, 0, 0]
    return Rule(entries, chance.choice([0.0, 0.001, 0.03, 0.1, 0.42, 0.65, 0.98, chance.random()]))


def _networks(chance: random.Random, lives: int, hidden: int, inputs: int) -> Networks:
    """Weights that were never scaled, some neurons with none at all, some inputs and outputs alike, some nearly 0."""
    few = [0.0, 0.5, -0.5, 1.0, 3.0, 2.0**-499, -(2.0**-498)]
    draw = np.vectorize(lambda _: chance.choice(few) if chance.random() < 0.7 else chance.uniform(-2, 2))
    hidden_weights = draw(np.zeros((lives, hidden, inputs)))
    output_weights = draw(np.zeros((lives, 3, hidden + 1)))
    hidden_weights[:, :: chance.randint(1, 3)] = 0.0
    hidden_weights[:, :, 1 :: chance.randint(1, 3)] = chance.choice(few)
    for output in output_weights:
        alike = chance.sample(range(3), chance.randint(1, 3))
        output[alike] = chance.choice([0.0, output[alike[0]].copy()])
    return Networks("prey-predator", hidden_weights, output_weights)


def check_neighbourhood(number: int) -> None:
    """Its cases live in company, in slices and traced, and each must be its twin's life."""
    near = neighbourhood(number)
    chance = random.Random(number)
    order = chance.sample(range(CASES + COMPANY), CASES + COMPANY)
    together = batch_of(near.task, near.hidden, _rows(near.jobs, order), _some(near.networks, order))
    while together.step < near.task.steps:
        together.advance(chance.choice([1, 5, 60, 300]))
    for case in range(CASES):
        weights = None if near.networks is None else (near.networks.hidden[case], near.networks.output[case])
        twin = naive_prey_predator.live(
            near.task,
            near.hidden,
            near.rules[case].entries,
            near.rules[case].eta or 0.0,
            near.seeds[case],
            near.trials[case],
            None if weights is None else (weights[0].tolist(), weights[1].tolist()),
        )
        _check_same(together, order.index(case), twin, f"neighbourhood {number}, case {case}, in company")
        alone = batch_of(near.task, near.hidden, _rows(near.jobs, [case]), _some(near.networks, [case]))
        where = f"neighbourhood {number}, case {case}, traced"
        _check_trace(traced(alone), twin, where)
        _check_same(alone, 0, twin, where)


def _rows(jobs: Jobs, rows: list[int]) -> Jobs:
    return Jobs(jobs.entries[rows], jobs.eta[rows], jobs.seed[rows], jobs.trial[rows])


def _some(networks: Networks | None, rows: list[int]) -> Networks | None:
    return None if networks is None else Networks(networks.task, networks.hidden[rows], networks.output[rows])


def _check_same(batch: Batch, row: int, twin: naive_prey_predator.Life, where: str) -> None:
    assert batch.counts[:, row].tolist() == twin.counts, where
    networks = batch.networks()
    assert networks.hidden[row].tobytes() == np.array(twin.hidden).tobytes(), where
    assert networks.output[row].tobytes() == np.array(twin.output).tobytes(), where


def _check_trace(trace: TraceRoom, twin: naive_prey_predator.Life, where: str) -> None:
    for name, values in trace.columns().items():
        if name == "senses":
            expected = np.array([[bit for cell in step.sensed for bit in (cell >> 1, cell & 1)] for step in twin.steps])
        else:
            expected = np.array([getattr(step, name) for step in twin.steps], values.dtype)
        different = (values != expected).reshape(len(values), -1).any(axis=1)
        assert not different.any(), f"{where}: {name} first differs at step {different.argmax()}"
