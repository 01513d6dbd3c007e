"""From specs to steps to commits that land, with their evidence."""
