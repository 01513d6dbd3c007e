"""The trail: what the evidence in a history says of its lines, its agents, its ranges."""
