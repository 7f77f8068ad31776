"""Where lives are lived."""
