"""Kernels: compiled loops over arrays and scalars. Nothing here knows of files, plots or the command line."""
