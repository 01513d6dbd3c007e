"""Files below a directory: read, written and replaced without leaving it."""
