"""Our worlds as Gymnasium environments: a plastic agent in a loop of one's own, and a thousand worlds at once."""

import gymnasium
import numpy as np

import hebbarium as hb
import hebbarium.gym  # registers the worlds

env = gymnasium.make("hebbarium/Foraging-v0", season_steps=2000)
agent = hb.PlasticAgent("foraging:1", inputs=6, hidden=20, outputs=3, seed=7)
bits, info = env.reset(seed=7)
truncated = False
while not truncated:
    bits, reward, terminated, truncated, info = env.step(agent.act(bits))
    agent.reinforce(reward)
print("green, blue and wall hits of the last season:", info["counts"])

lives = hb.live("foraging", "foraging:1", lifetimes=1, seed=7, season_steps=2000)
print("the same under live:                         ", lives.counts[0, -1])

envs = gymnasium.make_vec("hebbarium/Foraging-v0", num_envs=1024)
bits, infos = envs.reset(seed=1)
for _ in range(100):
    bits, rewards, _, _, infos = envs.step(envs.action_space.sample())
print("rewarded in the last step:", f"{np.mean(rewards > 0):.0%} of {envs.num_envs} worlds")
