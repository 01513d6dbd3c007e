"""What a policy has by default, and the agents that hkgit knows."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import lru_cache

BREAK_GLASS, ATTEST, SIGN = "break-glass", "attest", "sign"
"""Roles: what a principal may do beside what a grant says."""

TEXT = ("bidi", "zero-width", "nul", "lone-cr")
"""The kinds of text that a commit may be forbidden to add (see `rules.characters`)."""

_PROTECTED = """
.gitattributes */.gitattributes .gitmodules .lfsconfig

.github/workflows/* .github/actions/* .forgejo/workflows/* .gitea/workflows/*
.gitlab-ci.yml .gitlab-ci.yaml .gitlab/ci/* bitbucket-pipelines.yml
azure-pipelines.yml azure-pipelines.yaml .azure-pipelines/* .vsts-ci.yml .pipelines/*
.circleci/* .cirrus.* .buildkite/* .builds/* .build.yml buildspec*.yml buildspec*.yaml
.woodpecker/* .woodpecker.yml .woodpecker.yaml .drone.yml .drone.yaml .drone.jsonnet .drone.star
.travis.yml appveyor.yml .appveyor.yml jenkinsfile jenkinsfile.* .teamcity/* .tekton/* .semaphore/*
cloudbuild.yaml cloudbuild.yml cloudbuild.json zuul.yaml .zuul.yaml zuul.d/* .zuul.d/*
bitrise.yml bitrise.yaml codemagic.yaml .codefresh/* codefresh.yml .harness/* .vela.yml .cnb.yml
screwdriver.yaml .screwdriver/* .buddy/* buddy.yml wercker.yml .space.kts .eas/workflows/*
.prow.yaml .prow/* .scrutinizer.yml

codeowners .github/codeowners .gitlab/codeowners docs/codeowners .gitea/codeowners
.forgejo/codeowners owners */owners .policy.yml .kodiak.toml .github/settings.yml
.mergify.yml .mergify/* .github/mergify.yml

.pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml
prek.toml */prek.toml .prek.toml .husky/* .githooks/* .github/hooks/* .overcommit.yml
lefthook.* .lefthook.* lefthook-local.* .lefthook-local.* .config/lefthook.* .lefthook/*
captainhook.json grumphp.yml* simple-git-hooks.* .simple-git-hooks.*

.claude/settings* */.claude/settings* .claude/hooks/* .mcp.json .agents/plugins/*
.cursor/*.json .cursor/hooks/* .codex/*.toml .codex/*.json .gemini/settings.json .qwen/*.json
opencode.json opencode.jsonc .opencode/plugin* .aider.conf.yml .amp/*.json .crush.json crush.json
kilo.json kilo.jsonc .kilo/plugin* .kilocode/mcp.json .clinerules/hooks/* .cline/hooks/*
.pi/settings.json .pi/extensions/* .kiro/hooks/* .kiro/settings/* .windsurf/*.json .devin/*.json
.amazonq/*.json .augment/*.json .continue/mcpservers/* .factory/*.json .github/copilot/*.json
.junie/mcp/* .roo/mcp.json .trae/*.json

.vscode/settings.json .vscode/tasks.json .vscode/mcp.json .zed/*.json
.devcontainer/* .devcontainer.json .gitpod.yml
.envrc */.envrc mise.toml .mise.toml .mise/* .config/mise/*

vercel.json netlify.toml amplify.yml render.yaml .do/* heroku.yml nixpacks.toml
railway.json railway.toml wrangler.json* wrangler.toml
"""
PROTECTED = tuple(_PROTECTED.split())
"""Paths, in any case, that decide what runs or who reviews: a governed commit needs a grant.

Of git; of services that build; of who reviews and merges; of hooks; of agents; of editors and
shells; of hosts.
"""

ACCEPTED = (
    "strict",
    "reanchored",
    "merge",
    "revert",
    "prune",
    "empty",
    "manual",
    "ungoverned",
    "attested",
    "vouched",
)
"""Verdicts that pass by default; none is attested or vouched where nobody is trusted to."""

_KNOWN_AGENTS = """
*[[]bot]*
aider* | *(aider)* | *noreply@aider.chat>
amp <* | *<amp@ampcode.com>
bolt <*@bolt.new>
cascade <*@windsurf.ai> | windsurf*
claude <* | claude-* | claude code* | *noreply@anthropic.com>
cline <*
codex* | *noreply@openai.com>
continue <*@continue.dev>
*copilot*
crush <* | *<crush@charm.land>
cursor agent* | *cursoragent@cursor.com>
devin <* | devin-* | devin ai*
factory-droid* | droid <*@factory.ai>
gemini*
goose*
hkgit-agent*
jules <* | jules-* | google labs jules*
junie <* | *<junie@jetbrains.com>
kilo code*
kiro <* | kiro-agent*
lovable <*@lovable.dev>
opencode* | *noreply@opencode.ai>
openhands*
qwen-coder* | qwen code* | *<qwen-coder@alibabacloud.com>
ralphex <*
replit agent* | replit ai agent* | replit-agent*
roo code*
tabnine cli*
trae cli*
v0 <*@v0.dev>
warp <* | *agent@warp.dev> | oz <*@warp.dev>
"""
KNOWN_AGENTS = tuple(re.split(r"\n| \| ", _KNOWN_AGENTS.strip()))
"""Globs on `Name <email>`, in lower case, of agents that commit under a name of their own.

Where each is from: docs/policy.md. People are called Claude, Devin and Jules too; then a family
name follows.
"""

_NO_ADDRESS = r"""[\s,;()"'<]+|mailto:"""
"""What is between addresses, and in none."""


@lru_cache(1024)  # the commits of a history are by few
def matches(identity: str, globs: tuple[str, ...]) -> bool:
    """Whether a `Name <email>` fits one of some globs, whatever its letters' case and whitespace.

    What is behind the address or around it is no part of it, nor is what nobody sees.
    """
    shown = " ".join(_fold(identity).split()).lower()
    name, angle, address = shown.partition("<")
    if not angle:  # as in `Assisted-by: Claude:opus`
        name, _, address = shown.partition(":")
    address = address.partition(">")[0].strip()
    parts = (each.rstrip(".") for each in re.split(_NO_ADDRESS, address) if "@" in each)
    forms = [f"{name.strip()} <{each}>" for each in dict.fromkeys((address, *parts))]
    return any(fits_any(form, tuple(map(str.lower, globs))) for form in forms)


def _fold(text: str) -> str:
    """Read letters of another width as plain ones, and leave out characters that are not shown."""
    if text.isascii():
        return text
    import unicodedata  # few names need it

    plain = unicodedata.normalize("NFKC", text)
    return "".join(char for char in plain if unicodedata.category(char) != "Cf")


def split_identities(identity: str) -> list[str]:
    """Split into a `Name <email>` and each one more that is behind it."""
    first, *others = dict.fromkeys(identity.split(">"))
    return [first, *(each for each in others if "<" in each)]


def fits_any(text: str, globs: tuple[str, ...]) -> bool:
    """Match as `fnmatchcase` does; most globs are ruled out before one is compiled."""
    possible = [glob for glob, literal in _with_literals(globs) if literal in text]
    return any(fnmatchcase(text, glob) for glob in possible)


@lru_cache(64)
def _with_literals(globs: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Each glob with the longest text that whatever fits it contains."""
    parts = ([] if "[" in glob else glob.replace("?", "*").split("*") for glob in globs)
    return tuple(zip(globs, (max(each, key=len, default="") for each in parts), strict=True))
