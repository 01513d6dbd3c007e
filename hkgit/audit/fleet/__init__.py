"""Verify many repositories: mirrors, what is new in each, one summary; on any executor."""
