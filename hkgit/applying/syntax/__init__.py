"""A guard that knows languages."""
