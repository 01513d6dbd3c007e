"""Settings of agents: written and taken out again."""
