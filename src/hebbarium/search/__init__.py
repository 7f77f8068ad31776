"""Searches for rules: each proposes what to try and learns from what was scored; others let the agents live."""
