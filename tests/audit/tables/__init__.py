"""Tests of the evidence as tables."""
