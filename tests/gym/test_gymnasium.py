"""What Gymnasium asks of its own environments: its tests that apply to ours, under their names.

From its `tests/envs` and `tests/vector` (version 1.4). Left out are those of single environments of its own, of spaces
that ours do not have, of the messages of its errors, and of `call` and `set_attr`, which only vectors of Python objects
have.
"""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import InvalidAction
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorWrapper

from hebbarium.gym import WorldEnv, WorldVectorEnv, env_id
from hebbarium.worlds.registry import WORLDS

IDS = [env_id(name) for name in WORLDS]
ID = "hebbarium/Foraging-v0"
SHORT = {"season_steps": 5, "seasons": 2}
MODES = list(AutoresetMode)
every_id = pytest.mark.parametrize("id", IDS)


def vector(**settings: Any) -> WorldVectorEnv:
    return WorldVectorEnv(3, "foraging", **settings)


# tests/envs/test_envs.py


@every_id
def test_all_env_api(id: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.spec(id).make().unwrapped, skip_render_check=True)


@every_id
def test_all_env_passive_env_checker(id: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(id)
        env.reset()
        env.step(env.action_space.sample())
        env.close()


@every_id
def test_env_determinism_rollout(id: str) -> None:
    envs = [gymnasium.spec(id).make(disable_env_checker=True, **SHORT) for _ in range(2)]
    assert data_equivalence(*(env.reset(seed=0) for env in envs), exact=True)
    envs[0].action_space.seed(0)
    for _ in range(50):
        action = envs[0].action_space.sample()
        first, second = (env.step(action) for env in envs)
        assert data_equivalence(first, second, exact=True)
        assert envs[0].observation_space.contains(first[0])
        if first[3]:
            for env in envs:
                env.reset(seed=0)


@every_id
def test_pickle_env(id: str) -> None:
    env = gymnasium.make(id)
    action = env.action_space.sample()
    reset, step = env.reset(seed=123), env.step(action)
    pickled = pickle.loads(pickle.dumps(env))
    midway = [one.step(action) for one in (env, pickled)]
    assert data_equivalence(*midway, exact=True)  # beyond Gymnasium's: in the midst of a life
    assert data_equivalence(reset, pickled.reset(seed=123), exact=True)
    assert data_equivalence(step, pickled.step(action), exact=True)


# tests/envs/test_rendering.py, test_action_dim_check.py, test_env_implementation.py


@every_id
def test_render_modes(id: str) -> None:
    for mode in gymnasium.spec(id).make().metadata["render_modes"]:
        env = gymnasium.make(id, render_mode=mode)
        env.reset()
        for _ in range(2):
            frame = env.render()
            if mode == "ansi":
                assert isinstance(frame, str)
                assert frame
            else:
                assert frame.dtype == np.uint8
                assert frame.shape[2] == 3
                assert not any(side % 2 for side in frame.shape[:2])
            env.step(env.action_space.sample())


@every_id
def test_discrete_actions_out_of_bound(id: str) -> None:
    env = gymnasium.make(id).unwrapped
    env.reset()
    with pytest.raises(InvalidAction):
        env.step(env.action_space.start + env.action_space.n)


@every_id
def test_discrete_action_validation(id: str) -> None:
    env = gymnasium.make(id).unwrapped
    env.reset()
    with pytest.raises(InvalidAction):
        env.step(np.array([0.1, -0.2], np.float32))
    env.step(env.action_space.sample())


@every_id
def test_cartpole_vector_equiv(id: str) -> None:
    """There of the pole, here of each world: one of a vector of one."""
    env, envs = gymnasium.make(id, **SHORT), gymnasium.make_vec(id, num_envs=1, **SHORT)
    assert env.action_space == envs.single_action_space
    assert env.observation_space == envs.single_observation_space
    np.testing.assert_array_equal(env.reset(seed=4)[0], envs.reset(seed=4)[0][0])
    env.action_space.seed(4)
    for _ in range(10):
        action = env.action_space.sample()
        one, many = env.step(action), envs.step(np.array([action]))
        assert many[0] in envs.observation_space
        np.testing.assert_array_equal(one[0], many[0][0])
        assert one[1:4] == tuple(values[0] for values in many[1:4])
    assert one[3]
    observation, rewards, terminations, truncations, _ = envs.step(envs.action_space.sample())
    np.testing.assert_array_equal(env.reset()[0], observation[0])
    assert not rewards.any()
    assert not terminations.any()
    assert not truncations.any()


# tests/envs/registration


def test_make_kwargs() -> None:
    env = gymnasium.make(ID, season_steps=9, reward="fitness", random_actions=True)
    assert env.unwrapped.world.season_steps == 9
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'"):  # as TorchRL probes
        gymnasium.make(ID, frameskip=2)


def test_import_module_during_make() -> None:
    assert isinstance(gymnasium.make(f"hebbarium.gym:{ID}").unwrapped, WorldEnv)


def test_make_with_env_spec() -> None:
    env = gymnasium.make(gymnasium.spec(ID), season_steps=9)
    assert gymnasium.make(env.spec).unwrapped.world == env.unwrapped.world


@every_id
def test_env_spec_to_from_json(id: str) -> None:
    for spec in (gymnasium.spec(id), gymnasium.make(id, **SHORT).spec):
        assert EnvSpec.from_json(spec.to_json()) == spec


def test_pickling_env_stack() -> None:
    env: Any = gymnasium.make(ID, render_mode="rgb_array")
    env = gymnasium.wrappers.NormalizeReward(gymnasium.wrappers.TimeLimit(env, 50), gamma=0.8)
    pickled = pickle.loads(pickle.dumps(env))
    assert data_equivalence(*(one.reset(seed=123) for one in (env, pickled)))
    assert data_equivalence(*(one.step(1) for one in (env, pickled)))


def test_make_vec_env_id() -> None:
    envs = gymnasium.make_vec(ID)
    assert isinstance(envs, WorldVectorEnv)
    assert envs.num_envs == 1


@pytest.mark.parametrize("num_envs", [1, 3, 10])
@pytest.mark.parametrize("mode", ["vector_entry_point", "sync"])
def test_make_vec_num_envs(num_envs: int, mode: str) -> None:
    assert gymnasium.make_vec(ID, num_envs=num_envs, vectorization_mode=mode).num_envs == num_envs


def test_make_vec_vectorization_mode() -> None:
    assert isinstance(gymnasium.make_vec(ID, vectorization_mode="vector_entry_point"), WorldVectorEnv)
    assert isinstance(gymnasium.make_vec(ID, vectorization_mode="sync"), SyncVectorEnv)
    envs = gymnasium.make_vec(
        "hebbarium.gym:hebbarium/TMaze-v0", num_envs=2, vectorization_mode="async", vector_kwargs={"context": "spawn"}
    )
    assert isinstance(envs, AsyncVectorEnv)
    ours = gymnasium.make_vec("hebbarium/TMaze-v0", num_envs=2)
    assert data_equivalence(*(one.reset(seed=1) for one in (envs, ours)), exact=True)
    assert data_equivalence(*(one.step(np.array([0, 1])) for one in (envs, ours)), exact=True)
    envs.close()


def test_make_vec_render_mode() -> None:
    assert gymnasium.make_vec(ID).render_mode is None
    assert gymnasium.make_vec(ID, render_mode="rgb_array").render_mode == "rgb_array"


@pytest.mark.parametrize("mode", ["vector_entry_point", "sync"])
def test_make_vec_with_spec(mode: str) -> None:
    envs = gymnasium.make_vec(ID, num_envs=3, vectorization_mode=mode, season_steps=9)
    again = gymnasium.make_vec(envs.spec)
    assert envs.spec == again.spec
    assert type(envs) is type(again)
    assert (envs.num_envs, envs.observation_space, envs.action_space) == (
        again.num_envs,
        again.observation_space,
        again.action_space,
    )


# tests/vector


@pytest.mark.parametrize("mode", MODES)
def test_vector_env_equal(mode: AutoresetMode) -> None:
    """There of Gymnasium's two vectors; ours against its own, for longer, in test_worlds.py."""
    both = vector(autoreset_mode=mode), SyncVectorEnv([lambda: WorldEnv("foraging")] * 3, autoreset_mode=mode)
    for name in ("num_envs", "observation_space", "single_observation_space", "action_space", "single_action_space"):
        assert getattr(both[0], name) == getattr(both[1], name)
    assert data_equivalence(*(envs.reset(seed=0) for envs in both), exact=True)
    for _ in range(100):
        actions = both[0].action_space.sample()
        assert actions in both[1].action_space
        assert data_equivalence(*(envs.step(actions) for envs in both), exact=True)


def test_final_obs_info() -> None:
    envs = vector(autoreset_mode=AutoresetMode.SAME_STEP, **SHORT)
    begun, _ = envs.reset(seed=1)
    for _ in range(10):
        *_, infos = envs.step(np.ones(3, np.int64))
    assert infos["_final_obs"].all()
    assert all(final.shape == begun[0].shape for final in infos["final_obs"])
    assert (infos["final_info"]["season"] == 1).all()
    assert (infos["season"] == 0).all()


def test_random_seeding_basics() -> None:
    envs = vector()
    envs.reset(seed=42)
    assert envs.np_random_seed == (42, 43, 44)
    envs.reset(seed=None)
    assert envs.np_random_seed == (42, 43, 44)
    assert begun(WorldEnv("foraging"), 42).np_random_seed == 42


def test_random_seeds_set_at_retrieval() -> None:
    envs = vector()
    seeds = envs.np_random_seed
    assert len(set(seeds)) == 3
    drawn, _ = envs.reset()
    assert envs.np_random_seed == seeds
    np.testing.assert_array_equal(drawn, vector().reset(seed=seeds)[0])


def test_partial_reset() -> None:
    envs = vector(autoreset_mode=AutoresetMode.DISABLED)
    begun, _ = envs.reset(seed=[0, 1, 2])
    envs.action_space.seed(123)
    for _ in range(3):
        stepped, *_ = envs.step(envs.action_space.sample())
    again, _ = envs.reset(seed=[0, 1, 0], options={"reset_mask": np.array([True, True, False])})
    np.testing.assert_array_equal(again[:2], begun[:2])
    np.testing.assert_array_equal(again[2], stepped[2])


@pytest.mark.parametrize(
    ("mask", "error"),
    [
        ([True], ValueError),
        ([True, True, False, False], ValueError),
        ([[True, True, True]], ValueError),
        ([False, False, False], ValueError),
        ([1, 1, 0], TypeError),
        ([1.0, 1.0, 0.0], TypeError),
    ],
)
def test_partial_reset_failure(mask: Any, error: type[Exception]) -> None:
    envs = vector(autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(options={"reset_mask": np.array([True, True, True])})
    with pytest.raises(error):
        envs.reset(options={"reset_mask": np.array(mask)})


def test_action_count_compatibility() -> None:
    envs = vector(autoreset_mode=AutoresetMode.DISABLED)
    envs.reset()
    actions = envs.action_space.sample()
    assert all(len(values) == 3 for values in envs.step(actions)[:4])
    for wrong in (actions[:2], np.concatenate([actions, actions[:1]])):
        with pytest.raises(ValueError, match="must have"):
            envs.step(wrong)
    with pytest.raises(TypeError):
        envs.step(0)


@pytest.mark.parametrize("mode", MODES)
def test_autoreset_metadata(mode: AutoresetMode) -> None:
    for given in (mode, mode.value):
        assert vector(autoreset_mode=given).metadata["autoreset_mode"] == mode


@pytest.mark.parametrize("mode", MODES)
def test_make_vec_autoreset(mode: AutoresetMode) -> None:
    envs = gymnasium.make_vec(ID, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode})
    assert envs.metadata["autoreset_mode"] == mode
    assert gymnasium.make_vec(ID, autoreset_mode=mode).metadata["autoreset_mode"] == mode


def test_sync_vector_determinism() -> None:
    samples = []
    for envs in (vector(), vector()):
        envs.action_space.seed(123)
        samples.append([envs.action_space.sample() for _ in range(100)])
    np.testing.assert_array_equal(*samples)


def test_vector_env_wrapper_inheritance() -> None:
    wrapped = VectorWrapper(vector())
    assert data_equivalence(wrapped.reset(seed=3), vector().reset(seed=3), exact=True)
    assert wrapped.metadata == wrapped.env.metadata
    pickled = pickle.loads(pickle.dumps(wrapped.env))  # beyond Gymnasium's: vectors pickle, too
    assert data_equivalence(*(one.step([1, 1, 1]) for one in (wrapped, pickled)), exact=True)


def begun(env: Any, seed: int) -> Any:
    env.reset(seed=seed)
    return env
