"""The proxy for the Agent Client Protocol, with an agent and a client of its own SDK."""
