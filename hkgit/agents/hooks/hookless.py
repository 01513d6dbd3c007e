"""Agents that offer no hooks get words: AGENTS.md, which most of them read.

aider's model calls no tools, so words do not help it. It can keep what it was shown, and what it
has answered: aider.chat/docs/config/aider_conf.html.
"""

from __future__ import annotations

from hkgit.agents.setup.settings import Part, TextPart, YamlPart

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

COMMENT = ("<!-- ", " -->")


_AIDER = """\
llm-history-file: .aider.llm.history
auto-commits: false
dirty-commits: false
git-commit-verify: true
"""


def list_parts(name: str) -> list[Part]:
    """List the text that an agent without hooks reads, or its settings if it has some."""
    if name == "aider":
        return [YamlPart(".aider.conf.yml", _AIDER)]
    return [TextPart("AGENTS.md", WORDS, COMMENT)]
