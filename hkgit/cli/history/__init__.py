"""Commands that show the audit trail: log, show, blame, stats, report, qa."""
