"""Whose shell git was started in, where the environment alone does not say it."""
