"""What the shell commands of agents do to files, taken in as edits."""
