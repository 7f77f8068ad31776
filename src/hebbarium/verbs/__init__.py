"""What a user can ask for, in Python."""
