"""A rule found in foraging balances a pole: lives in an environment of Gymnasium's.

python examples/gym_cartpole.py [LIFETIMES STEPS]
"""

import sys

import hebbarium as hb

lifetimes, steps = map(int, sys.argv[1:] or (6, 2000))


def lean(step):
    """+1 where the pole leans less than before, or falls less fast, -1 where more: the reward itself is always 1."""
    (_, _, angle, speed), (_, _, next_angle, next_speed) = step.observation, step.following
    before, after = abs(angle + 0.4 * speed), abs(next_angle + 0.4 * next_speed)
    return int(before > after) - int(before < after)


task = hb.GymTask("CartPole-v1", encode="quantiles:8", reinforce=lean, season_steps=steps)
rules = ("00+-/0000@0.04", "0000/0000@0.04")  # the second leaves the network as it was born
result = hb.compare(task, *rules, agents=["random"], lifetimes=lifetimes, seed=7)
print("Steps that the pole stays up, from birth on, 500 at most, and the standard error:")
for contender in result.contenders:
    estimate = contender.estimate
    print(f"  {contender.name:28} {estimate.value:6.1f} ± {estimate.error:.1f}")
