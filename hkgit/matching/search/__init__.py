"""Where in a file it is worth looking."""
