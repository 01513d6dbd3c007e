"""Repositories elsewhere, which nobody here vouches for."""
