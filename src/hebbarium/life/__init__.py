"""A brain lives in a world."""
