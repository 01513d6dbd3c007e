"""hkgit as tools for agents: one set of calls (`server_calls`), carried by two thin servers.

`mcp_server` speaks the Model Context Protocol; `json_rpc` serves each call as a method.
"""
