"""Applying: what a spec makes of a snapshot of files, bytes in and bytes out (`planner.plan`)."""
