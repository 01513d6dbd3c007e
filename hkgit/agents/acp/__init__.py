"""A proxy for the Agent Client Protocol (agentclientprotocol.com), between editor and agent."""
