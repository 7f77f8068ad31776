"""It lives in a way of its own, and is compared."""

import hebbarium as hb
from commands import printed

restless, random = (hb.live_agent("foraging", name, lifetimes=3, season_steps=500) for name in ("restless", "random"))
assert restless.digest != random.digest
few = "--lifetimes 3 --season-steps 500"
assert "restless" in printed(f"compare foraging foraging:1 --agent restless {few}".split())
