"""hkgit as tools for agents: one set of calls (`server_calls`), carried by two thin transports.

`mcp_server` speaks the Model Context Protocol through its official SDK; `json_rpc` speaks plain
JSON-RPC 2.0, one message a line, and needs nothing but Python's own library.
"""
