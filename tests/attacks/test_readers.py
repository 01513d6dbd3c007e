"""Attacks by what git reads otherwise than the judge: encodings, names, characters, trailers."""

import re
import subprocess
from dataclasses import replace

import pytest

from hkgit.edits import File
from hkgit.evidence.trailers import list_credited, read_trailers
from hkgit.gate.policy.model import Policy
from hkgit.gate.rules.characters import _SUSPECT, ANNOTATION, IGNORABLE, KINDS, VERSION
from tests.attacks.scene import GOVERN, PERSON, A, Scene, replace_range
from tests.support.cases import cases

BLIND = {"b.txt": File(b"evil\n")}
POINTS = [point for first, last in (*IGNORABLE, ANNOTATION) for point in range(first, last + 1)]


def rewritten(scene: Scene, old: bytes, new: bytes) -> str:
    """An honest commit with other bytes in its object."""
    honest = scene.commit(scene.honest())
    raw = scene.repo.git_bytes("cat-file", "commit", honest)
    assert old in raw
    made = raw.replace(old, new, 1)
    return scene.repo.store(made, "commit")


@cases(
    "header, message",
    {
        "marks of direction in Arabic": (b"windows-1256", b"Say \xfe\xfd\n"),
        "marks in GB18030": (b"GB18030", b"Say \x81\x36\xac\x34\n"),
        "marks in ASCII": (b"UTF-7", b"Say +IC4-\n"),
        "two bytes a letter": (b"UTF-16", b"Say\n"),
        "a soft hyphen in Latin 1": (b"latin1", b"Say \xadx\n"),
        "no encoding": (b"nonsense", b"Say\n"),
    },
)
def test_a_message_in_another_encoding_shows_no_other_text(
    scene: Scene, header: bytes, message: bytes
) -> None:
    made = rewritten(scene, b"\n\n", b"\nencoding " + header + b"\n\n" + message + b"\n")
    assert scene.rules(made) == {"text"}


def test_a_message_in_latin_1_may_be_written(scene: Scene) -> None:
    made = rewritten(scene, b"\n\n", b"\nencoding ISO-8859-1\n\n\xc4ndere\n\n")
    assert scene.passes(made)


@pytest.mark.parametrize("role", ["author", "committer"])
@pytest.mark.parametrize("mark", ["\u202e", "\u200b", "\u00ad"])
def test_a_name_shows_no_other_name(scene: Scene, role: str, mark: str) -> None:
    made = rewritten(scene, f"\n{role} ".encode(), f"\n{role} {mark}".encode())
    assert scene.rules(made) == {"text"}


@pytest.mark.parametrize(
    "point",
    [0xAD, 0x34F, 0x17B4, 0x180B, 0x206A, 0x2065, 0xFFF0, 0xFFF9, 0x1BCA0, 0x1D173, 0xE0080],
)
def test_a_character_that_is_not_shown_is_not_added(scene: Scene, point: int) -> None:
    made = scene.commit(scene.applied(replace_range("a.py", A, 5, 5, f"is_{chr(point)}admin")))
    assert scene.rules(made) == {"text"}


def test_no_character_that_is_not_shown_slips_past_the_first_look() -> None:
    kinds = [KINDS["bidi"], KINDS["zero-width"]]
    for point in POINTS:
        assert re.search(_SUSPECT, chr(point)), hex(point)
        assert any(re.search(kind, chr(point)) for kind in kinds), hex(point)
    assert not any(re.search(kind, "caf\u00e9 \u4e2d \U0001f600") for kind in kinds)


def test_the_table_is_unicodes() -> None:
    """ProposedEntry again by Perl, which knows every property, where it has the same version."""
    script = (
        "use Unicode::UCD; print Unicode::UCD::UnicodeVersion(), qq(\\n);"
        "for (0..0xD7FF, 0xE000..0x10FFFF)"
        " { print qq($_\\n) if chr($_) =~ /\\p{Default_Ignorable_Code_Point}/ }"
    )
    try:
        said = subprocess.run(["perl", "-e", script], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no perl with Unicode::UCD")
    version, *points = said.stdout.split()
    if version != VERSION:
        pytest.skip(f"perl knows Unicode {version}")
    assert [*map(int, points)] == [p for p in POINTS if p not in range(0xFFF9, 0xFFFC)]


# Who is an agent


@cases(
    "message",
    {
        "folded": "Say\n\nCo-authored-by: Claude\n <noreply@anthropic.com>\n",
        "folded at once": "Say\n\nCo-authored-by:\n\tcodex\n\t<a@b.c>\n",
        "two blanks": "Say\n\nCo-authored-by: claude  <a@b.c>\n",
        "Crush": "Say\n\nCo-Authored-By: Crush <crush@charm.land>\n",
        "assisted": "Say\n\nAssisted-by: Crush <crush@charm.land>\n",
        "Qwen": "Say\n\nCo-authored-by: Qwen-Coder <q@alibabacloud.com>\n",
        "Warp": "Say\n\nCo-Authored-By: Oz <oz-agent@warp.dev>\n",
        "Junie": "Say\n\nCo-authored-by: Junie <junie@jetbrains.com>\n",
    },
)
def test_an_agent_named_as_git_unfolds_it_is_an_agent(scene: Scene, message: str) -> None:
    made = scene.by_hand({**BLIND}, PERSON, message=message)
    assert scene.rule(made, GOVERN["agents"]) == "blind"


def test_blanks_in_a_name_hide_no_agent() -> None:
    for author in ("claude  <noreply@a.com>", "Replit  Agent <r@replit.com>", "\tcodex <a@b.c>"):
        assert Policy().is_agent(author)


MODELS = (
    "Claude:opus",
    "claude : opus [tools]",
    "Claude",
    "Amp:x",
    "Codex:gpt-5",
    "Droid <d@factory.ai>",
)
PEOPLE = ("Claude Paroz", "Claude Paroz <c@x.org>", "Rich Salz: thanks")


def test_an_agent_credited_with_its_model_is_an_agent() -> None:
    """The convention of Linux: `Assisted-by: AGENT:MODEL [TOOL]`; people are credited so, too."""
    said = {name: f"Say\n\nAssisted-by: {name}\n".encode() for name in (*MODELS, *PEOPLE)}
    found = [each for each, text in said.items() if Policy().governing_name([PERSON], text)]
    assert found == [*MODELS]


def test_co_authors_are_read_as_git_reads_them() -> None:
    message = b"x\n\nCo-authored-by: A\n B <c>\nCo-authored-by : D <e>\n"
    assert list_credited(message, "co-authored") == ["A B <c>", "D <e>"]


@pytest.mark.parametrize("ref", ["refs/Heads/main", "refs/heads/MAIN", "REFS/heads/main"])
def test_a_ref_in_other_letters_is_protected(ref: str) -> None:
    assert Policy(refs=("refs/heads/main",)).protects(ref)


BUILDS = """
    .gitlab-ci.yml .teamcity/settings.kts .cirrus.yml .appveyor.yml .tekton/push.yaml
    .semaphore/semaphore.yml buildspec.yml cloudbuild.yaml .builds/test.yml .zuul.yaml
    .screwdriver/x netlify.toml vercel.json bitrise.yml codemagic.yaml .harness/x"""
HOOKED = """
    .pre-commit-config.yaml .husky/pre-push sub/prek.toml lefthook.yaml .lefthook.toml
    lefthook-local.yml .github/hooks/x .envrc sub/.envrc mise.toml .zed/tasks.json"""
AGENTS = """
    .windsurf/hooks.json .roo/mcp.json .claude/settings.json .Claude/Settings.local.json
    .mcp.json"""
REVIEWS = """
    CODEOWNERS docs/CODEOWNERS .gitea/CODEOWNERS .forgejo/CODEOWNERS OWNERS sub/OWNERS
    .mergify.yml .github/settings.yml"""


@pytest.mark.parametrize("names", [BUILDS, HOOKED, AGENTS, REVIEWS])
def test_what_runs_code_or_names_reviewers_is_protected(names: str) -> None:
    assert [each for each in names.split() if not Policy().protects_path(each)] == []


# Trailers

ENTRY = "Hkgit-Entry: sha256:" + "0" * 64
LIES = {
    "above a comment": f"Say\n\n{ENTRY}\nHkgit-Confidence: 1.00\n\n# x\n",
    "above conflicts": f"Say\n\n{ENTRY}\n\nConflicts:\n\ta.py\n",
    "above a patch": f"Say\n\n{ENTRY}\n---\ndiff\n",
    "no entry": "Say\n\nHkgit-Confidence: 1.00\nHkgit-Evidence: edits=1\n",
    "a blank before the colon": "Say\n\nHKGIT-Agent : claude/1\n",
    "above comments": f"Say\n\n{ENTRY}\n\n# x\n# y\n",
}


@cases("message", LIES)
def test_what_git_shows_as_our_trailer_is_true_or_a_fault(scene: Scene, message: str) -> None:
    shown = scene.repo.git("interpret-trailers", "--parse", stdin=message.encode())
    if not re.search("(?im)^hkgit-", shown):
        pytest.skip("this git shows no such trailer")
    made = scene.commit(replace(scene.honest(), message=message))
    assert scene.rules(made) == {"trailer"}


@cases("message", LIES)
def test_a_lie_is_never_an_honest_view(message: str) -> None:
    trailers = read_trailers(message.encode())
    assert trailers.entries or trailers.faults
