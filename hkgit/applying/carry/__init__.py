"""Carry specs and reads from one state of the files to another."""
