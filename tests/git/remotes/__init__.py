"""Repositories elsewhere."""
