"""Four tasks of Gymnasium's without a function of one's own: encoders and judges by name.

python examples/gym_judges.py [LIFETIMES STEPS]
"""

import importlib.util
import sys

import hebbarium as hb

lifetimes, steps = map(int, sys.argv[1:] or (2, 300))

tasks = {"CartPole-v1": "lean", "MountainCar-v0": "energy", "Acrobot-v1": "energy"}
if importlib.util.find_spec("minigrid"):
    tasks["MiniGrid-Empty-Random-6x6-v0"] = "distance"
rules = ("00+-/0000@0.04", "frozen,000-/0000@0.03", "0000/0000@0.04")  # the last leaves networks as they were born
options = {"lifetimes": lifetimes, "seed": 7, "season_steps": steps}
for env, judge in tasks.items():
    print(f"{env}: reward of an episode, from birth on, and its standard error", flush=True)
    judged = hb.compare(env, *rules, agents=["random"], reinforce=judge, **options)
    told_rewards = hb.compare(env, rules[0], rules[1], **options)
    for result, how in ((judged, judge), (told_rewards, "sign")):
        for one in result.contenders:
            print(f"  {how:9} {one.name:30} {one.estimate.value:8.2f} ± {one.estimate.error:.2f}", flush=True)
