"""hkgit as tools for agents: one set of calls (`calls`), carried by two thin transports.

`server` speaks the Model Context Protocol through its official SDK; `lines` speaks plain JSON-RPC
2.0, one message a line, and needs nothing but Python's own library.
"""
