"""Pictures of what studies found, for files."""
