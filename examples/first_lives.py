"""Let two rules live the same hundred lives and compare them pair by pair."""

import hebbarium as hb

best = hb.live("foraging", "foraging:1", lifetimes=100, seed=7)
other = hb.live("foraging", "foraging:6", lifetimes=100, seed=7)

for lives in (best, other):
    fitness = lives.summary()["fitness"]
    print(f"{lives.rule}: fitness {fitness['mean']:.1f}, standard error {fitness['sem']:.2f}")

# The same seed gives both rules the same newborn brains in the same worlds: differences are paired.
wins = (best.life_fitness > other.life_fitness).mean()
print(f"{best.rule} does better in {wins:.0%} of the lives")
