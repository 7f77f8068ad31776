"""What a user asks for: one module or small folder for each verb."""
