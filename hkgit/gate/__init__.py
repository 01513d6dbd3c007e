"""The gate: judge commits under a policy, from every point where they arrive."""
