"""A newborn network learns its way to the goal of a MiniGrid world (pip install minigrid).

python examples/gym_minigrid.py [LIFETIMES STEPS]
"""

import sys

import minigrid  # noqa: F401 - registers its environments

import hebbarium as hb

WALL, GOAL = 2, 8

lifetimes, steps = map(int, sys.argv[1:] or (6, 1500))


def goal_of(observation):
    """Cells to the right of the agent and ahead of it, or None where the goal is out of view."""
    for right in range(7):
        for down in range(7):
            if observation["image"][right, down, 0] == GOAL:
                return right - 3, 6 - down
    return None


def encode(observation):
    """Is there a wall ahead; is the goal in view, and is it ahead, on the left, on the right?"""
    right, ahead = goal_of(observation) or (0, 0)
    wall = observation["image"][3, 5, 0] == WALL
    return [wall, (right, ahead) != (0, 0), ahead > 0, right < 0, right > 0]


def moves_left(observation):
    """Steps and turns to the goal; out of view it is far away."""
    goal = goal_of(observation)
    return 20 if goal is None else abs(goal[0]) + goal[1] + (goal[0] != 0)


def nearer(step):
    """+1 for every move towards the goal, -1 for every other one but to look around while it is out of view."""
    before, after = moves_left(step.observation), moves_left(step.following)
    if step.reward > 0 or after < before:
        return 1
    return 0 if before == 20 and step.action < 2 else -1


task = hb.GymTask("MiniGrid-Empty-Random-6x6-v0", encode, nearer, season_steps=steps)
rules = ("00+-/0000@0.04", "0000/0000@0.04")  # the second leaves the network as it was born
result = hb.compare(task, *rules, agents=["random"], lifetimes=lifetimes, seed=7)
print("Reward of an episode, from birth on, 1 at most, and the standard error:")
for contender in result.contenders:
    estimate = contender.estimate
    print(f"  {contender.name:28} {estimate.value:6.3f} ± {estimate.error:.3f}")
