"""The hooks of coding agents, one module an agent."""
