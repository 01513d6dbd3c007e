"""What a repository accepts, read from the trusted side."""
