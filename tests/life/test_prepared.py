"""What is prepared is all that lives need: nothing is compiled, or loaded, in the midst of them."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import pytest

from hebbarium.brains.base import Brain
from hebbarium.life import batch
from hebbarium.life.dispatch import accelerations
from hebbarium.life.fast.foraging_frozen_in_lanes import advance_foraging_frozen
from hebbarium.life.jobs import Jobs
from hebbarium.rules.layered import LayeredRule
from hebbarium.rules.rule import AnyRule, Rule
from hebbarium.worlds.foraging import Foraging

ASK = """
import gc, json, sys
import hebbarium as hb
from hebbarium.kernels.compile import Kernel
from hebbarium.studies.engine import Kernels, carry_out
from hebbarium.studies.live import LiveStudy, experiment_of

def compiled():
    kernels = [one for one in gc.get_objects() if isinstance(one, Kernel) and one._dispatcher is not None]
    return {one.name: len(one._dispatcher.signatures) for one in kernels if one._dispatcher.signatures}

task, rule, settings = json.loads(sys.argv[1])
experiment = experiment_of(task, rule, lifetimes=9, season_steps=30, **settings)
Kernels.of(experiment, [experiment.lived_by]).prepare(lambda text: None)
before = compiled()
carry_out(LiveStudy(experiment), threads=1)
print(json.dumps([before, compiled()]))
"""


@pytest.mark.parametrize(
    ("task", "rule", "settings"),
    [
        ("foraging", "frozen,000-/000+@0.03", {}),
        ("foraging", "00+-/0000@0.04", {}),
        ("foraging", "frozen,000-/000+@0.03", {"blame": {"missed": 0.5}, "output_bias": "none", "weight_noise": 0.1}),
        ("foraging", "frozen,000-/000+@0.03", {"frozen": True}),
        ("prey-predator", "frozen,000-/000+@0.03", {}),
        ("t-maze", "frozen,000-/000+@0.03", {"ties": "random"}),
    ],
)
def test_nothing_is_compiled_after_preparing(task: str, rule: str, settings: dict[str, object]) -> None:
    asked = json.dumps([task, rule, settings])
    done = subprocess.run([sys.executable, "-c", ASK, asked], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    before, after = json.loads(done.stdout)
    assert before == after
    if rule.startswith("frozen") and task == "foraging":
        usual = not settings
        assert ("advance_foraging_frozen" in before) == usual
        assert "advance_foraging_alone" not in before or not usual  # nothing that is not needed


def test_the_loop_that_is_prepared_is_the_one_that_is_taken() -> None:
    chance, world = random.Random(5), Foraging()
    brain = Brain.of(world, 3)
    halves = [[0, 0, 0, 0], [0, 0, 1, -1]]
    for _ in range(40):
        layers = [Rule([*chance.choice(halves), *chance.choice(halves)], 0.1) for _ in range(2)]
        rule: AnyRule = LayeredRule(*layers)
        ((way,),) = batch._sorts(brain, [rule]).values()
        ((taken, _),) = batch.Batch(world, brain, Jobs.of_rule(rule, 1, 1)).accelerations
        assert taken is accelerations(world, brain, False)[way]


def test_it_is_asked_for_by_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether something has to be compiled depends on the rule, so that it can be announced."""
    world, asked = Foraging(), []
    monkeypatch.setattr("hebbarium.kernels.compile.Kernel.is_kept", property(lambda self: asked.append(self.name)))
    for rules, expected in (
        ([Rule("foraging:1")], "advance_foraging_alone"),
        ([Rule("foraging:6")], "advance_together_foraging_6_3"),
        ([LayeredRule(None, "foraging:6")], advance_foraging_frozen.name),
    ):
        asked.clear()
        assert not batch.is_compiled(world, rules=rules)
        assert asked == [expected]
