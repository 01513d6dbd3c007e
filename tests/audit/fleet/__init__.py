"""Many repositories at once."""
