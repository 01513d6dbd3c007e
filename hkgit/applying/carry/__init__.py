"""Specs and readings carried from one state of the files to another."""
