"""It lives, is searched, and has a perfect agent."""

import json

import hebbarium as hb
from commands import printed

assert hb.live_agent("bandit", "perfect", lifetimes=2, random_action=0.0).fitness.mean() == 100
assert hb.live("bandit", rule="-0+-/0000", eta=0.1, lifetimes=4).counts.sum() == 4 * 4 * 500
run = json.loads(
    printed(
        ["evolve", "bandit", "--search", "random", "--evaluations", "4", "--top", "1", "--rescore", "2", "--json", "-q"]
    )
)
assert run["task"] == "bandit"
