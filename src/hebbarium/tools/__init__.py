"""Tools that every room may use: errors, files, statistics, the terminal."""
