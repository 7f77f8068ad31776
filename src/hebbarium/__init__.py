"""Discover, test and explain the local rules by which a random network teaches itself."""
