"""Our worlds as Gymnasium environments: what Gymnasium asks for, and the same worlds as `live` has."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import hebbarium as hb
from hebbarium.gym import WorldEnv, WorldVectorEnv, env_id, register
from hebbarium.worlds.registry import WORLDS

IDS = {name: env_id(name) for name in WORLDS}
STEPS, LIFE = 2_000, {"season_steps": 80, "seasons": 2}
"""A life of 160 steps: every world begins anew a dozen times."""
MANY = 3


def test_every_world_has_its_id() -> None:
    assert {"hebbarium/Foraging-v0", "hebbarium/PreyPredator-v0"} <= set(IDS.values()) <= set(gymnasium.registry)
    assert isinstance(gymnasium.make("hebbarium.gym:hebbarium/Foraging-v0").unwrapped, WorldEnv)
    assert isinstance(gymnasium.make_vec("hebbarium.gym:hebbarium/Foraging-v0", num_envs=2), WorldVectorEnv)


LAMP = Path(__file__).parents[1] / "worlds" / "lamp.py"


def test_a_world_of_ones_own_gets_an_id(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By its file, from wherever one is later, or as it is, with its settings."""
    monkeypatch.chdir(LAMP.parent)
    assert register("./lamp.py") == "hebbarium/Lamp-v0"
    monkeypatch.chdir(tmp_path)
    env = gymnasium.make("hebbarium/Lamp-v0", season_steps=5)
    assert env.unwrapped.world == hb.make_world(str(LAMP), season_steps=5)
    env.reset(seed=1)
    assert gymnasium.make_vec("hebbarium/Lamp-v0", num_envs=2).unwrapped.world == hb.make_world(str(LAMP))
    assert register(str(LAMP)) == "hebbarium/Lamp-v0"
    shorter = hb.make_world(str(LAMP), season_steps=7)
    with pytest.raises(hb.BadInput, match="has another environment already; give an id of its own, or replace=True"):
        register(shorter)
    assert gymnasium.make("hebbarium/Lamp-v0").unwrapped.world.season_steps != 7
    assert register(shorter, id="mine/Lamp-v3") == "mine/Lamp-v3"
    assert gymnasium.make("mine/Lamp-v3").unwrapped.world.season_steps == 7
    with pytest.warns(UserWarning, match="Overriding"):
        assert register(shorter, replace=True) == "hebbarium/Lamp-v0"
    assert gymnasium.make("hebbarium/Lamp-v0").unwrapped.world.season_steps == 7
    with pytest.raises(hb.BadInput, match="id is 'a lamp', but must be like mine/Pond-v0"):
        register(shorter, id="a lamp")
    assert gymnasium.make("hebbarium/Lamp-v0", season_steps=5).unwrapped.world.season_steps == 5
    gymnasium.spec("hebbarium/Lamp-v0").to_json()


def test_a_world_that_only_this_process_has_gets_an_id() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Here(type(hb.make_world("foraging"))):
        name = "here-only"

        @classmethod
        def kernels(cls) -> Any:
            return hb.WORLDS["foraging"].kernels()

    world = Here(season_steps=5)
    assert register(world) == "hebbarium/HereOnly-v0"
    assert gymnasium.registry["hebbarium/HereOnly-v0"].entry_point(render_mode="ansi").world is world
    assert gymnasium.registry["hebbarium/HereOnly-v0"].vector_entry_point(num_envs=2).num_envs == 2


@pytest.mark.parametrize("mode", [None, "ansi", "rgb_array"])
@pytest.mark.parametrize("name", IDS.values())
def test_gymnasium_finds_nothing_to_complain_of(name: str, mode: str | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(name, render_mode=mode).unwrapped)


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("task", WORLDS)
def test_a_vector_is_so_many_single_ones(task: str, mode: AutoresetMode) -> None:
    ours = WorldVectorEnv(MANY, task, autoreset_mode=mode, **LIFE)
    singles = SyncVectorEnv([lambda: WorldEnv(task, **LIFE)] * MANY, autoreset_mode=mode)
    assert ours.action_space == singles.action_space
    assert ours.observation_space == singles.observation_space
    actions = np.random.default_rng(5).integers(0, ours.single_action_space.n, (STEPS, MANY))
    both = (ours, singles)
    assert_same([envs.reset(seed=3) for envs in both])
    ends = np.zeros(MANY, np.int64)
    for step, chosen in enumerate(actions):
        told = [envs.step(chosen) for envs in both]
        assert_same(told)
        over = told[0][3]
        ends += over
        if step % 200 == 100:  # some begin anew in the midst of life: from now on they end at other times
            over = over | (np.arange(MANY) == step // 200 % MANY)
        elif mode != AutoresetMode.DISABLED:
            continue
        if over.any():
            assert_same([envs.reset(options={"reset_mask": over.copy()}) for envs in both])
    assert ends.min() >= 3


@pytest.mark.parametrize("options", [{}, {"reward": "fitness", "random_actions": True}], ids=["usual", "fitness"])
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_a_vector_of_lives_that_end_together_is_so_many_single_ones(
    mode: AutoresetMode, options: dict[str, Any]
) -> None:
    """Then no world took a step, or all did: Gymnasium leaves out what no world has."""
    life = {"season_steps": 7, "seasons": 2, "random_action": 0.3, **options}
    both = (
        WorldVectorEnv(MANY, "foraging", autoreset_mode=mode, **life),
        SyncVectorEnv([lambda: WorldEnv("foraging", **life)] * MANY, autoreset_mode=mode),
    )
    assert_same([envs.reset(seed=3) for envs in both])
    together = 0
    for chosen in np.random.default_rng(5).integers(0, 3, (100, MANY)):
        told = [envs.step(chosen) for envs in both]
        assert_same(told)
        together += "association" not in told[0][4]
    assert together == (6 if mode == AutoresetMode.NEXT_STEP else 7)


@pytest.mark.parametrize("task", WORLDS)
def test_the_fitness_is_that_of_live_and_may_be_the_reward(task: str) -> None:
    env = gymnasium.make(env_id(task), season_steps=300, seasons=3, reward="fitness")
    world = env.unwrapped.world
    actions = np.random.default_rng(2).integers(0, world.outputs, 900)
    env.reset(seed=7)
    counts, rewards, said = np.zeros((1, 3, len(world.counts)), np.int64), np.zeros(3), np.zeros(3)
    for action in actions:
        *_, reward, _, _, info = env.step(action)
        rewards[info["season"]] += reward
        counts[0, info["season"]], said[info["season"]] = info["counts"], info["fitness"]
    np.testing.assert_allclose(rewards, world.fitness(counts)[0], atol=1e-9)
    np.testing.assert_array_equal(said, world.fitness(counts)[0])
    assert len(np.unique(said)) > 1


def test_the_worlds_own_random_actions_replace_some() -> None:
    """As many as the setting says, the same in every episode of a trial, and only while nothing is sensed if so set."""

    def lived(**settings: Any) -> tuple[np.ndarray, np.ndarray]:
        env = WorldEnv("foraging", random_actions=True, season_steps=4000, seasons=1, **settings)
        bits, _ = env.reset(seed=5)
        done, seeing = [], []
        for _ in range(4000):
            seeing.append(bool(bits.any()))
            bits, *_, info = env.step(1)
            done.append(info["action"])
        return np.array(done), np.array(seeing)

    done, _ = lived(random_action=0.3)
    others = np.bincount(done, minlength=3) / len(done)
    np.testing.assert_allclose(others, [0.1, 0.8, 0.1], atol=0.02)
    np.testing.assert_array_equal(done, lived(random_action=0.3)[0])
    turning, _ = lived(random_action=0.3, random_kind="turn")
    np.testing.assert_allclose((turning != 1).mean(), 0.3, atol=0.02)
    unseeing, seeing = lived(random_action=0.3, random_where="nothing-sensed")
    assert (unseeing[seeing] == 1).all()
    assert (unseeing[~seeing] != 1).any()
    assert (lived(random_action=0.0)[0] == 1).all()


def assert_same(told: list[Any]) -> None:
    assert data_equivalence(*told, exact=True), told


BRAINS: list[dict[str, Any]] = [
    {"hidden": (6, 4)}, {"hidden": 0}, {"recurrent": True, "activation": "tanh"}, {"scaling": "oja", "trace": 0.8},
]  # fmt: skip


@pytest.mark.parametrize(("task", "way"), [*((task, {}) for task in WORLDS), *(("foraging", way) for way in BRAINS)])
def test_a_plastic_agent_gets_the_counts_of_live(task: str, way: dict[str, Any]) -> None:
    """Step by step through Gymnasium, with seasons that change and trials one after the other."""
    lives = hb.live(task, "00+-/0000@0.04", lifetimes=3, seed=7, season_steps=700, seasons=3, **way)
    world, brain = lives.task, lives.experiment.brain
    env = gymnasium.make(env_id(task), season_steps=700, seasons=3)
    for trial, counts in enumerate(lives.counts):
        agent = hb.PlasticAgent(
            "00+-/0000@0.04", inputs=world.inputs, outputs=world.outputs, seed=7, trial=trial,
            random_action=world.random_action, ties=brain.ties, arithmetic=brain.arithmetic,
            **{**way, "hidden": brain.hidden},
        )  # fmt: skip
        bits, info = env.reset(**({"seed": 7} if trial == 0 else {}))
        seen, truncated = np.zeros_like(counts), False
        while not truncated:
            bits, reward, terminated, truncated, info = env.step(agent.act(bits))
            agent.reinforce(reward)
            seen[info["season"]] = info["counts"]
            assert not terminated
        np.testing.assert_array_equal(seen, counts)


def test_a_life_goes_as_its_trace_says() -> None:
    trace = hb.trace("foraging", "foraging:1", seed=3, trial=2, season_steps=300)
    env = WorldEnv("foraging", season_steps=300)
    bits, _ = env.reset(seed=3, options={"trial": 2})
    for step, action in enumerate(trace.steps.action):
        np.testing.assert_array_equal(bits, trace.steps.senses[step])
        bits, reward, _, truncated, info = env.step(action)
        assert reward == trace.steps.reinforcement[step]
        assert info["association"] == trace.steps.association[step]
        assert info["season"] == step // 300
        assert truncated == (step == 1199)


def test_trials_follow_each_other() -> None:
    env = WorldEnv("foraging")
    pictures = []
    for options in ({"seed": 4}, {}, {"options": {"trial": 1}}, {"seed": 4, "options": {"trial": 0}}, {"seed": 5}):
        env.reset(**options)
        pictures.append(env.worlds.state.cells.tobytes())
    first, second, chosen, again, other = pictures
    assert first == again
    assert second == chosen
    assert len({first, second, other}) == 3


@pytest.mark.parametrize("many", [None, 2])
def test_a_reset_that_is_refused_changes_nothing(many: int | None) -> None:
    def world(env: Any) -> tuple[Any, ...]:
        return env.worlds.state.cells.tobytes(), env.trials.seed.tolist(), env.trials.trial.tolist()

    env, other = (WorldEnv("foraging") if many is None else WorldVectorEnv(many) for _ in range(2))
    for refused in ({"options": {"trial": -1}}, {"seed": -1}, {"seed": 9, "options": {"trial": 0.5}}):
        begun(env), begun(other)
        before = world(env)
        with pytest.raises(hb.BadInput):
            env.reset(**refused)
        assert world(env) == before
        env.reset(), other.reset()
        assert world(env) == world(other)


def test_an_action_in_an_array_is_an_action() -> None:
    """As Stable-Baselines3 and others have it."""
    told = [begun(WorldEnv("foraging")).step(action) for action in (1, np.int64(1), np.array(1), np.array([1]), [1])]
    for other in told[1:]:
        assert_same([told[0], other])


def test_without_a_seed_every_environment_is_another_world() -> None:
    envs = WorldVectorEnv(5, "foraging")
    envs.reset()
    assert len(np.unique(envs.trials.seed)) == 5
    assert not envs.trials.trial.any()


def test_a_vector_of_trials_is_the_lives_of_live() -> None:
    """Under random actions as the random agent has them, the counts of a whole life are the same."""
    envs = WorldVectorEnv(6, "foraging", autoreset_mode="SameStep", season_steps=200, seasons=1)
    envs.reset(seed=[9] * 6, options={"trial": range(6)})
    for trial in range(6):
        lone = WorldEnv("foraging", season_steps=200, seasons=1)
        lone.reset(seed=9, options={"trial": trial})
        np.testing.assert_array_equal(lone.worlds.state.cells[0], envs.worlds.state.cells[trial])
    for _ in range(200):
        *_, infos = envs.step(np.ones(6, np.int64))
    assert infos["_final_info"].all()
    assert (envs.trials.trial == np.arange(6) + 1).all()


def test_what_is_shown() -> None:
    text = WorldEnv("foraging", "ansi", grid_size=8, green=3, blue=2)
    text.reset(seed=1)
    shown = text.render()
    assert len(shown.splitlines()) == 8
    assert {symbol: shown.count(symbol) for symbol in "#gb"} == {"#": 28, "g": 3, "b": 2}
    assert sum(shown.count(arrow) for arrow in "^>v<") == 1
    image = WorldEnv("foraging", "rgb_array", grid_size=8, green=3, blue=2)
    image.reset(seed=1)
    pixels = image.render()
    assert pixels.shape == (512, 512, 3)
    assert pixels.dtype == np.uint8
    middles = pixels[32::64, 32::64]
    wall, seen = np.uint8(0x77), np.uint8(round(0.85 * 0x77))
    assert {tuple(cell) for cell in middles[0]} == {(wall,) * 3, (seen,) * 3}
    assert (middles[:, 0] == wall).all()
    assert WorldEnv("foraging").render() is None
    odd = WorldEnv("foraging", "rgb_array", grid_size=7, green=1, blue=1)
    odd.reset(seed=1)
    assert odd.render().shape == (518, 518, 3)  # video needs an even size
    many = WorldVectorEnv(2, "prey-predator", "ansi")
    many.reset(seed=1)
    assert len(many.render()) == 2


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        (lambda: WorldEnv("forage"), "did you mean 'foraging'"),
        (lambda: WorldEnv("foraging", colour="red"), "no setting 'colour'"),
        (lambda: WorldEnv("foraging", reward="fit"), "did you mean 'fitness'"),
        (lambda: WorldEnv("foraging", random_actions=2), "random-actions is 2"),
        (lambda: WorldEnv("foraging", "human"), "render-mode is 'human'"),
        (lambda: begun(WorldEnv("foraging")).step(3), "from 0 to 2"),
        (lambda: begun(WorldEnv("foraging")).step(0.5), "from 0 to 2"),
        (lambda: begun(WorldEnv("foraging")).step(np.array([1, 1])), "must be one whole number from 0 to 2"),
        (lambda: begun(WorldEnv("foraging")).step([[1], [1, 2]]), "must be whole numbers from 0 to 2"),
        (lambda: WorldEnv("foraging").reset(seed=-1), "seed is -1"),
        (lambda: WorldVectorEnv(2).reset(seed=0.5), "seed is 0.5"),
        (lambda: WorldEnv(hb.GymTask("CartPole-v1")), "made of an environment of Gymnasium's: use that itself"),
        (lambda: register(hb.GymTask("CartPole-v1")), "made of an environment of Gymnasium's: use that itself"),
        (lambda: register("forage"), "did you mean 'foraging'"),
        (lambda: WorldEnv("foraging").reset(options={"trail": 1}), "did you mean 'trial'"),
        (lambda: WorldEnv("foraging").reset(options={"trial": -1}), "trial is -1"),
        (lambda: WorldVectorEnv(2).reset(options={"trial": [1, 2, 3]}), "trial has 3 numbers"),
        (lambda: WorldVectorEnv(2).reset(seed=[1]), "seed has 1 numbers"),
        (lambda: WorldVectorEnv(2).reset(options={"reset_mask": np.zeros(2, bool)}), "one True at least"),
        (lambda: begun(WorldVectorEnv(2)).step([1, 1, 1]), "must have (2,)"),
        (lambda: begun(WorldVectorEnv(2)).step([1, -1]), "from 0 to 2"),
        (lambda: WorldVectorEnv(2, autoreset_mode="SameSteps"), "did you mean 'SameStep'"),
        (lambda: WorldVectorEnv(0), "num-envs is 0"),
    ],
)
def test_what_makes_no_sense_is_refused(act: Any, sentence: str) -> None:
    with pytest.raises(hb.BadInput) as refused:
        act()
    assert sentence in str(refused.value)


def begun(env: Any) -> Any:
    env.reset(seed=1)
    return env


@pytest.mark.parametrize("env", [WorldEnv("foraging"), WorldVectorEnv(1, "foraging")], ids=["single", "vector"])
def test_a_life_must_have_begun(env: Any) -> None:
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(env.action_space.sample())


@pytest.mark.parametrize("mode", [AutoresetMode.DISABLED, None])
def test_a_life_that_is_over_stays_over(mode: AutoresetMode | None) -> None:
    life = {"season_steps": 3, "seasons": 1}
    env: Any = WorldEnv("foraging", **life) if mode is None else WorldVectorEnv(1, autoreset_mode=mode, **life)
    action = 1 if mode is None else [1]
    begun(env)
    for _ in range(3):
        env.step(action)
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(action)


def test_stable_baselines_learns_in_it() -> None:
    """Only that it runs: what it learns is not our affair."""
    baselines = pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is not installed: pip install it")
    env = gymnasium.make("hebbarium/Foraging-v0", season_steps=500)
    model = baselines.PPO("MlpPolicy", env, n_steps=512, seed=1, device="cpu")
    model.learn(2048)
    assert model.num_timesteps == 2048
