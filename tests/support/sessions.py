"""A session for tests, which takes texts where hkgit takes specs."""

from collections.abc import Iterable

from hkgit.applying.planner import Options
from hkgit.dialects.file_names import parse_expect
from hkgit.edits import Read, Spec
from hkgit.sessions.answers import EditReport
from hkgit.sessions.edit_session import EditSession


class TextSession(EditSession):
    """A session with `edit`: what the commands and servers do with one text."""

    def edit(
        self,
        text_or_spec: str | bytes | Spec,
        *,
        format: str = "auto",
        expect: Iterable[str | Read] = (),
        dry_run: bool = False,
    ) -> EditReport:
        """Apply one spec to the checkout, all of it or nothing. Refusals stand in the outcomes."""
        given = text_or_spec
        spec = given if isinstance(given, Spec) else self.parse(given, format)
        reads = tuple(parse_expect(each) if isinstance(each, str) else each for each in expect)
        return self.edit_all((spec,), Options(), expect=reads, dry_run=dry_run)
