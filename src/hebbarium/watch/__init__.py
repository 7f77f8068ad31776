"""A page in the browser that shows agents as they live, and lets a user change their rule meanwhile."""
