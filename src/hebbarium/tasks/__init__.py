"""The worlds an agent can live in: one file each, listed in the registry."""
