"""Faster ways to compute the equations of `plain.py` and `tallied.py`, to the same bits."""
