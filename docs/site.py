"""A hook of mkdocs: links out of docs/ lead to the repository, and rules have anchors."""

from __future__ import annotations

import re
from typing import Any

_OUT = re.compile(r"\]\(((?:\.\./)+)(?!\w[\w+.-]*:)([^)\s]*)\)")
_RULE = re.compile(r"^((?:- )?)\*\*([CLPSV]\d+)\*\* ", re.MULTILINE)


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """The page, with what lies outside of the site as an address, or as plain words."""
    depth = page.file.src_uri.count("/")

    def lead(link: re.Match[str]) -> str:
        if link[1].count("../") <= depth:
            return link[0]
        base = config.get("repo_url")
        return f"]({base.rstrip('/')}/blob/main/{link[2]})" if base else "](#)"

    return _RULE.sub(r'\1<a id="\2"></a>**\2** ', _OUT.sub(lead, markdown))
