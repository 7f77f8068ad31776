"""Independent searches for rules in one run: how they are lived, stored and shown."""
