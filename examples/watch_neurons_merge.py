"""Under a rule that acts on reward, all hidden neurons become the same one. Watch it happen."""

import hebbarium as hb
from hebbarium.show import plots
from hebbarium.studies.plots import draw_life

life = hb.trace("foraging", "foraging:6", seed=7, every=20)
for step, distinct in zip(life.lived[:250:25], life.distinct_hidden[:250:25], strict=True):
    print(f"after {step:5} steps: {distinct:2} of {life.hidden} hidden neurons differ")

plots.save(draw_life(life), "life.svg")
print("life.svg shows the whole life")
