"""Which lines agents wrote, as far as it can be derived, in formats that other tools read."""
