"""It is counted, and shown by its name."""

import hebbarium as hb
from commands import printed

lives = hb.live("t-maze", rule="00+-/0000", eta=0.1, lifetimes=3, season_steps=200)
high, low, _, trips = lives.counts.reshape(-1, 4).T
assert (trips == high + low).all()
assert trips.sum() > 0
assert "trips" in printed(
    ["live", "t-maze", "--rule", "00+-/0000", "--eta", "0.1", "--lifetimes", "3", "--season-steps", "200"]
)
