"""Compute the bytes that change at a place."""
