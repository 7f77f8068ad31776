"""Every verb that lives takes it; neurons that nothing can reach never fire."""

import hebbarium as hb
from commands import printed
from hebbarium.cli import VERBS

for verb in ("live", "compare", "sweep", "evolve", "atlas", "lifelong", "transfer", "watch", "explain"):
    assert verb in VERBS
    task = [] if verb in ("explain", "transfer") else ["foraging"]
    assert "--threshold" in printed([verb, *task, "--help-all"]), verb
few = {"rule": "-0+-/0000", "eta": 0.05, "lifetimes": 2, "season_steps": 100, "activation": "sign"}
assert hb.live("foraging", **few).digest == hb.live("foraging", **few, threshold=0.0).digest
deaf = [hb.live("foraging", **few, threshold=value).digest for value in (50, 100)]
assert deaf[0] == deaf[1] != hb.live("foraging", **few).digest
