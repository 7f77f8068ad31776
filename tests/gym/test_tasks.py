"""Lives in other people's environments."""

from __future__ import annotations

import contextlib
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import hebbarium as hb
from attacks import environments
from hebbarium.cli import main
from hebbarium.gym.encoders import make_encoder
from hebbarium.gym.env_lives import env_seeds
from hebbarium.gym.judges import ENERGIES, Formula, Transition, make_judges
from hebbarium.studies.evolve.study import Evolution

sys.path.insert(0, str(Path(__file__).parent))  # as if it were installed
import own

RULE = "00+-/0000@0.04"


def told(**settings: Any) -> hb.GymTask:
    return hb.GymTask("own:Told", "one-hot", "sign", **{"season_steps": 300} | settings)


class Showing(gymnasium.Env[Any, Any]):
    """An environment of which only the observations matter."""

    action_space = spaces.Discrete(2)

    def __init__(self, space: spaces.Space[Any]) -> None:
        self.observation_space = space


@pytest.mark.parametrize(
    ("text", "space", "shown", "bits"),
    [
        ("identity", spaces.MultiBinary(3), [1, 0, 1], "101"),
        ("identity", spaces.Box(0, 1, (2, 2), np.uint8), [[0, 1], [1, 0]], "0110"),
        ("one-hot", spaces.Discrete(3, start=2), 4, "001"),
        ("one-hot", spaces.MultiDiscrete([2, 3]), [1, 0], "01100"),
        ("one-hot", spaces.Box(-1, 1, (2,), np.int8), [-1, 1], "100001"),
        ("thermometer:4", spaces.Box(0.0, 4.0, (2,)), [2.5, -9.0], "110000"),
        ("thermometer:2", spaces.Box(-1.0, 1.0, (3,)), [0.1, 0.0, -0.1], "100"),
        ("own:signs", spaces.Box(-1.0, 1.0, (2,)), np.array([0.1, -0.1]), "10"),
    ],
)
def test_observations_become_bits(text: str, space: spaces.Space[Any], shown: Any, bits: str) -> None:
    env = Showing(space)
    env.reset = lambda **_: (space.sample(), {})
    encoder = make_encoder(text, env)
    assert "".join(map(str, encoder.encode(shown))) == bits
    assert encoder.bits == len(bits)


def test_quantiles_are_those_of_a_random_policy() -> None:
    """Each bin of each number is about as full as any other."""
    env = gymnasium.make("CartPole-v1")
    encoder = make_encoder("quantiles:5", env)
    assert encoder.bits == 20
    observation, _ = env.reset(seed=9)
    env.action_space.seed(9)
    seen = []
    for _ in range(4000):
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
        seen.append(encoder.encode(observation))
        if terminated or truncated:
            observation, _ = env.reset()
    shares = np.mean(seen, axis=0).reshape(4, 5)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (abs(shares - 0.2) < 0.07).all()


def test_rewards_become_signals() -> None:
    def signals(text: str, rewards: list[float]) -> list[int]:
        judge = make_judges(text)()
        return [judge(Transition(None, 0, reward, None, False, False, {})) for reward in rewards]

    assert signals("sign", [2.5, 0.0, -0.1]) == [1, 0, -1]
    assert signals("baseline:0.5", [1, 1, 3, 1.9, 2, 2]) == [0, 0, 1, -1, 1, 1]
    assert signals("baseline", [5, 4, 5]) == [0, -1, 1]


@pytest.mark.parametrize(
    ("judge", "env", "before", "after", "signal"),
    [
        ("lean", "CartPole-v1", [0, 0, 0.1, 0], [0, 0, 0.05, 0], 1),
        ("lean", "CartPole-v1", [0, 0, 0.1, -0.25], [0, 0, 0.1, 0.1], -1),
        ("energy", "MountainCar-v0", [-0.5, 0.01], [-0.5, 0.02], 1),
        ("energy", "MountainCar-v0", [-0.5, -0.01], [-0.5, 0.01], 0),
        ("energy", "gymnasium:Acrobot-v1", [1, 0, 1, 0, 0, 1], [1, 0, 1, 0, 0, 0.5], -1),
        ("progress: x0**2 - max(x1, 1)", "", [2, 0], [-3, 1], 1),
        ("progress:hypot(x0, x1)", "", [3, 4], [0, 5], 0),
    ],
)
def test_steps_are_judged_by_what_is_observed(
    judge: str, env: str, before: list[float], after: list[float], signal: int
) -> None:
    step = Transition(np.array(before), 0, 1.0, np.array(after), False, False, {})
    assert make_judges(judge, env)()(step) == signal


def test_energies_are_those_of_gymnasiums_environments() -> None:
    """Where nothing pushes, energy stays the same, up to how exactly an environment integrates; a push changes it."""
    for env, free in (("MountainCar-v0", 1), ("Acrobot-v1", 1)):
        energy, lived = Formula(ENERGIES[env.partition("-")[0]]), gymnasium.make(env).unwrapped
        lived.reset(seed=1)

        def changes(action: int, lived: Any = lived, energy: Any = energy) -> float:
            lived.reset(seed=1)
            seen = [lived.step(2)[0] for _ in range(5)]
            seen += [lived.step(action)[0] for _ in range(5)]
            return abs(energy(seen[-1]) - energy(seen[4]))

        assert changes(free) < 0.2 * changes(2)


def view(*cells: tuple[int, int, int], action: int = 2) -> dict[str, Any]:
    """What an agent of MiniGrid sees: empty but for some cells, [column, row, what]."""
    image = np.ones((7, 7, 3), np.uint8)
    for column, row, what in cells:
        image[column, row, 0] = what
    return {"image": image, "direction": 0, "mission": ""}


@pytest.mark.parametrize(
    ("before", "action", "after", "signal"),
    [
        (view((3, 2, 8)), 2, view((3, 3, 8)), 1),  # a step towards it
        (view((3, 2, 8)), 2, view((3, 2, 8)), -1),  # nothing changed
        (view((5, 5, 8)), 1, view((2, 4, 8)), -1),  # turned away too far
        (view(), 0, view(), 0),  # looking around
        (view(), 2, view(), -1),  # going somewhere without seeing it
        (view(), 1, view((3, 1, 8)), 1),  # found
        (view((3, 2, 8)), 0, view(), -1),  # lost
    ],
)
def test_moves_towards_the_goal_are_right(before: Any, action: int, after: Any, signal: int) -> None:
    assert make_judges("distance")()(Transition(before, action, 0.0, after, False, False, {})) == signal


def test_a_goal_in_view_becomes_bits() -> None:
    space = spaces.Dict({"image": spaces.Box(0, 255, (7, 7, 3), np.uint8)})
    for name in ("goal", "auto"):
        encoder = make_encoder(name, Showing(space))
        assert encoder.bits == 5
        assert encoder.encode(view()).tolist() == [0, 0, 0, 0, 0]
        assert encoder.encode(view((3, 5, 2), (1, 4, 8))).tolist() == [1, 1, 1, 1, 0]
        assert encoder.encode(view((6, 6, 8))).tolist() == [0, 1, 0, 0, 1]


def test_the_encoder_that_fits_is_taken_and_written_down() -> None:
    assert told().encode == "one-hot"
    assert hb.GymTask("own:Told").encode == "one-hot"
    assert hb.GymTask("CartPole-v1").encode == "quantiles"
    assert hb.GymTask("CartPole-v1") == hb.GymTask("CartPole-v1", "quantiles")
    assert make_encoder("auto", Showing(spaces.MultiBinary(3))).bits == 3


def test_an_id_is_a_task(capsys: pytest.CaptureFixture[str]) -> None:
    """In Python and on the command line, where its encoder and its judge have names."""
    task = hb.make_world("CartPole-v1", reinforce="lean", season_steps=150)
    assert task == hb.GymTask("CartPole-v1", reinforce="lean", season_steps=150)
    lives = hb.live("CartPole-v1", RULE, lifetimes=2, seed=7, reinforce="lean", season_steps=150)
    assert "CartPole-v1" in repr(lives)
    words = "live CartPole-v1 --reinforce lean --lifetimes 2 --seed 7 --season-steps 150 --json --rule"
    assert main([*words.split(), RULE]) == 0
    assert json.loads(capsys.readouterr().out)["digest"] == lives.digest
    assert main([*words.replace(" --json", "").split(), RULE]) == 0
    assert "millireward: reward in thousandths." in capsys.readouterr().out
    for words, sentence in {
        "live Cartpole-v1": "did you mean 'CartPole-v1'",
        "live CartPole-v1 --reinforce leans": "did you mean 'lean'",
        "live gymnasium --env own:nothing": "env own:nothing made 3",
    }.items():
        assert main([*words.split(), "--rule", RULE]) == 2
        assert sentence in capsys.readouterr().err


def test_an_environment_is_called_by_its_id(capsys: pytest.CaptureFixture[str]) -> None:
    """In messages, titles and usage; and nothing is offered or blamed that was not given or is not there."""
    for words, said in {
        "live CartPole-v1 --help": "Usage: hebbarium live CartPole-v1",
        "compare CartPole-v1 --help": "[choices: random]",
        "explain 00+-/0000 --task CartPole-v1": "There is no atlas of CartPole-v1;",
        "live CartPole-v1 --rule 00+-/0000": "there is no atlas of CartPole-v1",
        "live CartPole-v1 --agent perfect": "--agent is 'perfect', but must be random.",
        "watch CartPole-v1": "CartPole-v1 cannot be watched",
        "explain 00+-/0000 --task CartPole-v1 --reinforce lean": "reinforce is only used together with measure",
    }.items():
        with contextlib.suppress(SystemExit):
            main(words.split())
        shown = capsys.readouterr()
        assert said in shown.out + shown.err
        assert "gymnasium" not in shown.out + shown.err
    with pytest.raises(hb.BadInput, match="CartPole-v1 has no setting 'lifetime'"):
        hb.make_world("CartPole-v1", lifetime=3)
    assert hb.GymTask("Acrobot-v1", season_steps=90).changed_settings() == {"season_steps": 90}
    assert told().changed_settings() == {"env": "own:Told", "season_steps": 300}


@pytest.mark.parametrize(
    ("signals", "heeded", "words"),
    [
        ((0, 0, 9), (True, False), "Every step was rewarded, so entries for punishment changed nothing: choose"),
        ((9, 0, 0), (True, False), "Every step was punished, so no action was judged better than another: choose"),
        ((0, 3, 6), (True, True), "No step was punished, so entries for punishment changed nothing: choose"),
        ((0, 9, 0), (True, True), "Every step was neither punished nor rewarded, so entries for punishment and reward"),
        ((3, 6, 0), (True, False), ""),
        ((3, 3, 3), (True, True), ""),
    ],
)
def test_signals_that_never_came_are_said(signals: Any, heeded: Any, words: str) -> None:
    said = hb.GymTask("CartPole-v1").judged(signals, heeded)
    assert said.startswith(words)
    assert said.endswith("such as --reinforce lean." if words else "")
    assert "--reinforce" not in hb.GymTask("CartPole-v1", reinforce="lean").judged(signals, heeded)


def test_a_life_without_punishment_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At the end of `live` and of `evolve`, also when a finished run is shown again."""
    lived = ["live", "CartPole-v1", "--lifetimes", "2", "--season-steps", "60", "--rule", RULE]
    assert main(lived) == 0
    assert "Every step was rewarded, so entries for punishment changed nothing" in capsys.readouterr().out
    assert main([*lived, "--reinforce", "lean"]) == 0
    assert "Every step" not in capsys.readouterr().out
    judged = hb.live("CartPole-v1", RULE, lifetimes=3, season_steps=60, reinforce="lean").signals
    assert judged.shape == (3, 3)
    assert (judged.sum(axis=1) == 60).all()
    evolved = "evolve CartPole-v1 --search random --evaluations 2 --lifetimes 1 --rescore 0 --season-steps 60 --out"
    for _ in range(2):
        assert main([*evolved.split(), str(tmp_path / "run")]) == 0
        assert "every step was rewarded, so entries for punishment changed nothing" in capsys.readouterr().out
    assert "<h1>Evolved rules: CartPole-v1</h1>" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert [run["task"] for run in hb.list_runs(tmp_path)] == ["CartPole-v1"]


def test_a_life_is_what_a_loop_with_a_plastic_agent_gives() -> None:
    """Counts, weights and what a trace says: the same as by hand, over the end of a season, too."""
    task = told(seasons=2)
    lives = hb.live(task, RULE, lifetimes=3, seed=5, keep_networks=True)
    for trial in range(3):
        agent = hb.PlasticAgent(RULE, 2, 20, 2, seed=5, trial=trial)
        env, counts, actions, random = own.Told(), np.zeros((2, 3), np.int64), [], []
        seen, _ = env.reset(seed=env_seeds(np.array([5], np.uint64), np.array([trial], np.uint64))[0])
        for step in range(600):
            actions.append(agent.act([seen == 3, seen == 4]))
            random.append(agent.acted_at_random)
            seen, reward, _, truncated, _ = env.step(5 + actions[-1])
            agent.reinforce(np.sign(reward))
            counts[step // 300] += (round(1000 * reward), step % 10 == 0, 1)
            if truncated:
                seen, _ = env.reset()
        np.testing.assert_array_equal(lives.counts[trial], counts)
        np.testing.assert_array_equal(lives.networks.hidden[trial], agent.hidden_weights)
        np.testing.assert_array_equal(lives.networks.output[trial], agent.output_weights)
        trace = hb.trace(task, RULE, seed=5, trial=trial)
        np.testing.assert_array_equal(trace.steps.action, actions)
        np.testing.assert_array_equal(trace.steps.random, random)
        assert 0 < sum(random) < 60
    np.testing.assert_allclose(lives.fitness, lives.counts[:, :, 0] / 1000 / lives.counts[:, :, 1])


def test_it_learns_and_a_random_agent_does_not() -> None:
    result = hb.compare(told(), RULE, agents=["random"], lifetimes=8, hidden=10)
    learner, random = (contender.fitness.mean() for contender in result.contenders)
    assert learner > 2.0
    assert abs(random) < 0.5


@pytest.mark.parametrize("special", [{"hidden_bias": "none"}, {"weight_noise": 0.01}, {"blame": {"punished": 0.5}}])
def test_unusual_brains_live_there_too(special: dict[str, Any]) -> None:
    task = hb.GymTask("own:pole", "own:signs", "own:lean", season_steps=200)
    usual, unusual = (hb.live(task, RULE, lifetimes=1, keep_networks=True, **some) for some in ({}, special))
    assert (usual.networks.hidden != unusual.networks.hidden).any()


def test_threads_change_nothing() -> None:
    assert hb.live(told(), RULE, lifetimes=5, threads=1).digest == hb.live(told(), RULE, lifetimes=5, threads=3).digest


def test_a_rule_is_explained_by_lives_there() -> None:
    explained = hb.explain(RULE, told(season_steps=100), measure=True, lifetimes=2, hidden=3)
    assert explained.task == "Told"
    assert all(neighbour.difference is not None for neighbour in explained.neighbours)


def test_evolution_goes_on_where_it_was(tmp_path: Path) -> None:
    """A run that was stopped, and one that was not, end with the same."""
    options = {"search": "random", "runs": 1, "seed": 3, "evaluations": 6, "lifetimes": 2, "rescore": 2, "top": 2}
    whole = hb.evolve(told(), out=tmp_path / "whole", **options)

    def stop(state: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hb.evolve(told(), out=tmp_path / "parts", watch=stop, **options)
    parts = hb.evolve(told(), out=tmp_path / "parts", **options)
    assert parts.digest() == whole.digest()
    assert Evolution.of_configuration(whole.configuration).world == told()
    assert whole.table("lifetimes")


def test_what_only_this_process_has_is_neither_kept_nor_sent(tmp_path: Path) -> None:
    here = hb.GymTask(lambda: own.Told(), "one-hot", lambda step: 1, season_steps=50)
    assert hb.live(here, RULE, lifetimes=1).counts[0, 0, 2] == 50
    with pytest.raises(hb.BadInput, match="kept in a run: its env is a function that only this process has"):
        hb.evolve(here, out=tmp_path)
    with pytest.raises(hb.BadInput, match="sent to another process"):
        pickle.dumps(here)
    there = hb.GymTask(own.pole, own.signs, own.lean)
    assert (there.env, there.encode, there.reinforce) == ("own:pole", "own:signs", "own:lean")
    assert pickle.loads(pickle.dumps(there)) == there


def test_a_factory_makes_the_environment() -> None:
    lives = hb.live(hb.GymTask("own:pole", "own:signs", "own:lean", season_steps=200), RULE, lifetimes=2)
    assert (lives.counts[:, 0, 1] >= 4).all()  # at most 50 steps an episode


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("CartPole-v7",), "did you mean 'CartPole-v1'?"),
        (("nowhere:make",), "no function make can be imported from a module nowhere"),
        (("nowhere:Some-v0",), "Gymnasium cannot make it"),
        (("Pendulum-v1",), "must have discrete actions"),
        (("CartPole-v1", "identity"), "encode identity needs zeros and ones"),
        (("CartPole-v1", "one-hot"), "encode one-hot needs whole numbers"),
        (("CartPole-v1", "thermometer"), "try quantiles"),
        (("own:Told", "quantiles"), "encode quantiles needs numbers (a Box)"),
        (("CartPole-v1", "quantile:5"), "did you mean 'quantiles'?"),
        (("CartPole-v1", "quantiles:1"), "the nearest is 2"),
        (("CartPole-v1", "quantiles:x"), "encode is 'x'"),
        (("CartPole-v1", "own:wrong_bits"), "must give a row of numbers that are 0 or 1 each"),
        (("CartPole-v1", "own:signs", "signum"), "did you mean 'sign'?"),
        (("CartPole-v1", "own:signs", "baseline:high"), "rate of the baseline is 'high'"),
        (("CartPole-v1", "own:signs", "baseline:2"), "the nearest is 1"),
        (("CartPole-v1", 5), "encode is 5, but must be text"),
        (("CartPole-v1", "quantiles:²"), "encode is '²', but must be a whole number from 2 to 256"),
        (("CartPole-v1", f"quantiles:{'9' * 5000}"), "but must be a whole number from 2 to 256"),
        (("CartPole-v1", "goal"), "needs the view of a MiniGrid world"),
        (("CartPole-v1", "auto", "distance"), "need the view of a MiniGrid world"),
        (("CartPole-v1", "auto", "energy"), "is known for MountainCar and Acrobot only"),
        (("CartPole-v1", "auto", "lean:2"), "lean takes nothing after a colon"),
        (("CartPole-v1", "auto", "progress:x4"), "needs more than the 4 numbers that are observed"),
        (("CartPole-v1", "auto", "progress:"), "the formula is ''"),
        (("CartPole-v1", "auto", "progress:x0 if x1 else 2"), "it may have x0, x1"),
        (("CartPole-v1", "auto", "progress:__import__('os')"), "it may have x0, x1"),
        (("CartPole-v1", "auto", "progress:x0.real"), "it may have x0, x1"),
        (("CartPole-v1", "auto", "progress:sin(x0, x1)"), "wrong number of arguments"),
        (("CartPole-v1", "auto", "progress:1 / 0"), "has no value"),
        (("CartPole-v1", "auto", "progress:1e308 * 10"), "must be finite"),
        (("CartPole-v1", "auto", f"progress:{'-' * 2000}x0"), "it may have x0, x1"),
        (("own:nothing",), "env own:nothing made 3, but must make an environment"),
        (("own:absent",), "in absent: DependencyNotInstalled: Box2D is not installed."),
        (("own:Choices", "one-hot"), "has 1000000000 actions, but at most 65536 are allowed"),
        (("own:Numbers", "one-hot"), "makes 18446744073709551616 bits of an observation, but must make 1 to 65536"),
        (("own:Told", "own:no_bits"), "makes 0 bits of an observation"),
        (("own:Told", "own:failing"), "in failing: KeyError: 'no bits'."),
    ],
)
def test_what_does_not_fit_is_refused(arguments: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(hb.BadInput) as refused:
        hb.GymTask(*arguments)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        (("own:Told", "one-hot", "own:wrong_signal"), "gave 0.5, but must give -1, 0 or 1"),
        (("own:Boundless", "one-hot"), "rewards must be finite"),
        (("own:Told", "one-hot", "own:several_signals"), "must give -1, 0 or 1"),
        (("own:Told", "own:growing"), "numbers, but [34] at first: it must give as many always"),
        (("own:Shades", "identity"), "needs 2 numbers that are 0 or 1 each, but the environment showed .*0.25"),
        (("own:Astray", "one-hot"), "needs what is in Discrete.2, start=3., but the environment showed array..5.."),
        (("own:Failing", "one-hot"), "own.py, line [0-9]+, in step: ZeroDivisionError: by nothing."),
    ],
)
def test_what_goes_wrong_in_a_life_is_told(task: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(hb.BadInput, match=sentence):
        hb.live(hb.GymTask(*task, season_steps=10), RULE, lifetimes=1)


def test_an_environment_that_gymnasium_cannot_make_is_told_of_with_its_reason() -> None:
    gymnasium.register("hebbarium-tests/Absent-v0", entry_point=own.absent)
    with pytest.raises(hb.BadInput, match=r"Gymnasium cannot make it \(Box2D is not installed\)\."):
        hb.GymTask("hebbarium-tests/Absent-v0")
    with pytest.raises(hb.BadInput, match="made 3, but must make an environment"):
        hb.GymTask(lambda: 3)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("def make(:\n", "line 1: invalid syntax"),
        ("import nowhere_at_all\n", "imports 'nowhere_at_all', which is not there"),
        ("1 / 0\n", "line 1: ZeroDivisionError"),
        ("raise SystemExit\n", "line 1: this ends the whole program"),
        ("make = 3\n", "no function make can be imported"),
    ],
)
def test_a_module_that_cannot_be_imported_is_told_of(
    content: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"broken_{abs(hash(content))}"
    (tmp_path / f"{name}.py").write_text(content)
    monkeypatch.syspath_prepend(str(tmp_path))
    for arguments in ((f"{name}:make",), ("own:Told", f"{name}:make"), ("own:Told", "one-hot", f"{name}:make")):
        with pytest.raises(hb.BadInput, match=sentence):
            hb.GymTask(*arguments)


def test_zeros_and_ones_of_any_kind_are_bits() -> None:
    space = spaces.Box(0.0, 1.0, (3,), np.float32)
    assert make_encoder("identity", Showing(space)).encode(np.array([1, 0, 1], np.float32)).tolist() == [1, 0, 1]


def test_nobody_is_perfect_there() -> None:
    with pytest.raises(hb.BadInput, match="no perfect agent for Told"):
        hb.live_agent(told(), "perfect", lifetimes=1)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda agent: agent.act([1]), "must be 2 numbers"),
        (lambda agent: agent.act([1, 2]), "0 or 1 each"),
        (lambda agent: agent.reinforce(1), "call act first"),
        (lambda agent: (agent.act([1, 0]), agent.reinforce(1), agent.reinforce(1)), "call act first"),
        (lambda agent: (agent.act([1, 0]), agent.reinforce(np.array([1, 1]))), "must be -1, 0 or 1"),
        (lambda agent: (agent.act([1, 0]), agent.reinforce(0.5)), "signal is 0.5"),
        (lambda _: hb.PlasticAgent("00+-/0000", 2, 3, 2), "needs an eta"),
        (lambda _: hb.PlasticAgent(RULE, 0, 3, 2), "inputs is 0"),
        (lambda _: hb.PlasticAgent(RULE, 2, 3, 2, ties="last"), "ties is 'last'"),
        (lambda _: hb.PlasticAgent(RULE, 2, 3, 2, random_action=2), "random-action is 2"),
    ],
)
def test_an_agent_refuses_what_makes_no_sense(call: Any, sentence: str) -> None:
    with pytest.raises(hb.BadInput) as refused:
        call(hb.PlasticAgent(RULE, 2, 3, 2))
    assert sentence in str(refused.value)


def test_environments_that_answer_nonsense_are_refused() -> None:
    """So are encoders, judges and formulas; none of them blames a file of the package."""
    tally = environments.attack(sum(1 for _ in environments.lines(0, 1)) + 20, seed=1)
    assert not tally.problems
    assert tally.outcomes["refused"] > 250
