"""Grow networks in one summer, keep them, and test them frozen in fresh worlds."""

import hebbarium as hb

grown = hb.live("foraging", "foraging:1", lifetimes=50, seasons=1, seed=7, keep_networks=True)
grown.networks.save("summer.npz")

for season in ("summer", "winter"):
    tested = hb.live("foraging", frozen=True, networks="summer.npz", schedule=season, seasons=1, seed=8)
    print(f"grown in summer, tested frozen in {season}: fitness {tested.life_fitness.mean():.1f}")
