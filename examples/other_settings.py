"""Change the settings of a world: how does the best rule cope with shorter seasons and more wall?"""

import hebbarium as hb

for season_steps in (1000, 2500, 5000):
    lives = hb.live("foraging", "foraging:1", lifetimes=50, seed=7, season_steps=season_steps, grid_size=50)
    per_step = lives.life_fitness.mean() / season_steps
    print(f"seasons of {season_steps} steps: {1000 * per_step:.1f} good items more than bad ones in 1,000 steps")
