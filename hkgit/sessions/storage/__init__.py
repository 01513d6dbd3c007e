"""What a session keeps on disk."""
