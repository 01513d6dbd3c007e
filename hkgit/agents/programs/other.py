"""Agents of which hkgit knows no more get words: AGENTS.md, which most of them read."""

from __future__ import annotations

from hkgit.agents.agent import Agent

WORDS = """\
## Editing files

Read and change the files of this repository with hkgit, so that commits carry the evidence of
what their edits were written against. With its MCP server (`hkgit mcp`) use the tools `read` and
`edit`. In a shell, with one NAME for the whole conversation:

- `hkgit read PATH:START-END --session NAME` before a change;
- `hkgit edit --session NAME - <<'EOF'` with the edits, in any notation (search/replace blocks, a
  unified diff, JSON); `hkgit prompt search-replace` shows one of them;
- on a refusal do what it says: nothing has been changed then;
- commit with git as ever.
"""

AGENT = Agent(name="other", settings=lambda command: {"AGENTS.md": WORDS})
