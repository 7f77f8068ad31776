"""What the paper compares with: agents that do not learn by a rule."""
