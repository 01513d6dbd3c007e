"""Which lines agents wrote, in formats of other tools."""
