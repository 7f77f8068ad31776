"""Ways to attack Hebbarium, one module each; `benchmarks/attack.py` runs them all."""
