"""Audit: log, blame, statistics and reports from the evidence in a history."""
