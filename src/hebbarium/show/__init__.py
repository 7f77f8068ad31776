"""What people look at: pages and plots."""
