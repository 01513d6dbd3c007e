"""settings.py: what git has for settings and identities, from one process: `git var -l`.

Most of what is asked for is not set, and that is seen here. What may be set is asked for by name:
a value of several lines may look like another setting, never hide one.
"""

from __future__ import annotations

from hkgit.git.program import Git
from hkgit.values import dataclass


@dataclass(frozen=True, slots=True)
class GitSettings:
    """The lines that git printed; None where it failed."""

    git: Git
    lines: tuple[str, ...] | None

    @classmethod
    def ask(cls, git: Git) -> GitSettings:
        """Ask git for all of them."""
        asked = git("var", "-l", check=False)
        return cls(git, tuple(asked.text.split("\n")) if asked.code == 0 else None)

    def may_have(self, name: str) -> bool:
        """Whether a variable of the configuration may be set; `name` has no subsection."""
        key = name.lower()
        return self.lines is None or any(line.partition("=")[0] == key for line in self.lines)

    def identity(self, variable: str) -> str:
        """Return `Name <email>` of `GIT_AUTHOR_IDENT`, say; empty where git has none."""
        found = [line for line in self.lines or () if line.startswith(f"{variable}=")]
        ident = found[0].partition("=")[2] if len(found) == 1 else self._ask(variable)
        return ident.rpartition(" ")[0].rpartition(" ")[0]

    def _ask(self, variable: str) -> str:
        return self.git("var", variable, check=False).text
