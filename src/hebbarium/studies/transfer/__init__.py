"""A study: rules across worlds."""
