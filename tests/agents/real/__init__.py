"""Real agents, run with a scripted model and no network: `pytest -m agents tests/agents/real`."""
