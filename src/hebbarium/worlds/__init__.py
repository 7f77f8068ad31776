"""The worlds agents live in, one file each."""
