"""A session's state on disk."""
