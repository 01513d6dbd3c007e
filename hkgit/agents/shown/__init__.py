"""What agents were shown of files: told from the answers they were given, and the files."""
