"""Runs: results that survive. A folder with one SQLite file, and whatever long work writes into it."""
