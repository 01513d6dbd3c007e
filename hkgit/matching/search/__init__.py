"""Find candidate places in a file."""
