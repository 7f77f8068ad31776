"""The paper, reproduced: its numbers as data, one file per table and figure, one report."""
