"""The agents: their packages, how each is started without a person, how its tools are called."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.agents.real.saying import (
    say_claude,
    say_cline,
    say_codex,
    say_copilot,
    say_gemini,
    say_goose,
    say_opencode,
    say_pi,
    say_qwen,
)
from tests.agents.real.steps import Say

ATTACHED = "greet.py"
IN_PROMPT = (f"Mend the greeting of @{ATTACHED} please.",)
URL = "http://127.0.0.1:8099"
PROMPT = "Mend the greeting."


@dataclass(frozen=True, kw_only=True)
class Program:
    """An agent that npm installs. `$ROOT` stands for the checkout it works in."""

    name: str
    title: str
    package: str
    version: str
    command: tuple[str, ...]
    say: Say
    automatic: tuple[str, ...] = ()
    """The options that let it edit and run without asking anybody."""
    environment: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    """Files of its home."""
    attached: tuple[str, ...] = ()
    """What stands in place of the prompt where a file is put into it."""
    scripting: tuple[str, ...] = ()
    """The options by which its model calls tools from scripts alone."""
    acp: tuple[str, ...] = ()
    """How it is started to be an editor's agent; nothing where it cannot be."""
    adapter: str = ""
    """The package that has that program, if it is another one."""
    approval: tuple[str, ...] = ()
    """What `hkgit init --agent` tells a person to type once, if anything."""
    server: tuple[str, ...] = ()
    """The options that start hkgit's server with it, as `hkgit init --agent` tells them."""
    advice: str = ""
    """What `hkgit init --agent` tells to be written into `settings`, if anything."""
    is_stopped: bool = True
    """Whether a hook can stop a call of its edit tool, and it goes on."""
    seconds: int = 120
    """So long it may take, with the time that it waits for a network that is not there."""
    is_searching_with_rg: bool = False
    """Whether it downloads ripgrep where there is none."""
    has_sub_agents: bool = False
    """Whether it has been seen to tell hooks which sub-agent calls a server."""
    is_delegating: bool = False
    """Whether the scripted model knows how to start a sub-agent of it."""
    has_servers: bool = True
    """Whether it starts servers; one that does not is steered to tools that it has instead."""


_CODEX = f"""\
model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "{URL}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[projects."$ROOT"]
trust_level = "trusted"
"""
_SCRIPTED = {
    "npm": "@ai-sdk/openai-compatible",
    "name": "Scripted",
    "options": {"baseURL": f"{URL}/v1", "apiKey": "dummy"},
    "models": {"m": {"name": "m", "tool_call": True, "limit": {"context": 200000, "output": 8000}}},
}
_OPENCODE = {
    "model": "scripted/m",
    "autoupdate": False,
    "share": "disabled",
    "provider": {"scripted": _SCRIPTED},
}
_QUIET = {"general": {"enableAutoUpdate": False}, "privacy": {"usageStatisticsEnabled": False}}


_TRUSTED = {"projects": {"$ROOT": {"hasTrustDialogAccepted": True}}}


def _auth(kind: str) -> str:
    return json.dumps(_QUIET | {"security": {"auth": {"selectedType": kind}}})


CLAUDE = Program(
    name="claude",
    title="Claude Code",
    package="@anthropic-ai/claude-code",
    version="2.1.330",
    command=("claude", "-p", PROMPT, "--output-format", "stream-json", "--verbose"),
    automatic=("--permission-mode", "bypassPermissions"),
    acp=("claude-agent-acp",),
    adapter="@zed-industries/claude-agent-acp@0.23.1",
    environment={
        "ANTHROPIC_BASE_URL": URL,
        "ANTHROPIC_API_KEY": "dummy",
        "IS_SANDBOX": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    },
    settings={".claude.json": json.dumps(_TRUSTED)},
    has_sub_agents=True,
    is_delegating=True,
    say=say_claude,
    attached=IN_PROMPT,
)
CODEX = Program(
    name="codex",
    title="Codex",
    package="@openai/codex",
    version="0.169.0",
    command=("codex", "exec", "--json", "--dangerously-bypass-hook-trust", PROMPT),
    automatic=("--dangerously-bypass-approvals-and-sandbox",),
    acp=("codex-acp", "-c", 'sandbox_mode="danger-full-access"', "-c", 'approval_policy="never"'),
    adapter="@zed-industries/codex-acp@0.16.0",
    environment={"SCRIPTED_KEY": "dummy"},
    settings={".codex/config.toml": _CODEX},
    scripting=("-c", 'model="gpt-6-sol"'),
    say=say_codex,
)
GEMINI = Program(
    name="gemini",
    title="Gemini CLI",
    package="@google/gemini-cli",
    version="0.61.0",
    acp=("gemini", "-m", "gemini-2.5-pro", "--experimental-acp"),
    command=("gemini", "-m", "gemini-2.5-pro", "-o", "stream-json", "-p", PROMPT),
    automatic=("--yolo",),
    environment={
        "GEMINI_API_KEY": "dummy",
        "GOOGLE_GEMINI_BASE_URL": URL,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    },
    settings={".gemini/settings.json": _auth("gemini-api-key")},
    say=say_gemini,
    attached=IN_PROMPT,
    is_delegating=True,
)
OPENCODE = Program(
    name="opencode",
    title="OpenCode",
    package="opencode-ai",
    version="1.18.33",
    acp=("opencode", "acp"),
    is_searching_with_rg=True,
    command=("opencode", "run", "-m", "scripted/m", "--format", "json", PROMPT),
    environment={
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "npm_config_fetch_retries": "0",
    },
    settings={".config/opencode/opencode.json": json.dumps(_OPENCODE)},
    say=say_opencode,
    attached=(PROMPT, "-f", ATTACHED),
)
COPILOT = Program(
    name="copilot",
    title="Copilot CLI",
    package="@github/copilot",
    version="1.0.102",
    acp=("copilot", "--acp"),
    command=("copilot", "-p", PROMPT, "--no-color", "--trust-folder"),
    automatic=("--allow-all-tools", "--allow-all-paths"),
    environment={
        "COPILOT_PROVIDER_BASE_URL": f"{URL}/v1",
        "COPILOT_PROVIDER_API_KEY": "dummy",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_MODEL": "gpt-5",
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
    },
    say=say_copilot,
)
QWEN = Program(
    name="qwen",
    title="Qwen Code",
    package="@qwen-code/qwen-code",
    version="0.24.4",
    acp=("qwen", "--acp"),
    command=("qwen", "-o", "stream-json", "-p", PROMPT),
    automatic=("--yolo",),
    environment={
        "OPENAI_API_KEY": "dummy",
        "OPENAI_BASE_URL": f"{URL}/v1",
        "OPENAI_MODEL": "m",
    },
    settings={".qwen/settings.json": _auth("openai")},
    approval=("qwen", "mcp", "approve", "hkgit"),
    say=say_qwen,
    attached=IN_PROMPT,
)

_MODELS = {"baseUrl": f"{URL}/v1", "api": "openai-completions", "apiKey": "dummy"}
PI = Program(
    name="pi",
    title="pi",
    package="@earendil-works/pi-coding-agent",
    version="1.5.2",
    command=("pi", "--model", "scripted/m", "-p", PROMPT),
    environment={"PI_OFFLINE": "1"},
    settings={
        ".pi/agent/models.json": json.dumps(
            {"providers": {"scripted": _MODELS | {"models": [{"id": "m"}]}}}
        )
    },
    say=say_pi,
    attached=(f"@{ATTACHED}", PROMPT),
    automatic=("--approve",),
    has_servers=False,
)

KILO = Program(
    name="kilo",
    title="Kilo",
    package="@kilocode/cli",
    version="7.7.7",
    command=("kilo", "run", "-m", "scripted/m", "--format", "json", PROMPT),
    automatic=("--auto",),
    acp=("kilo", "acp"),
    is_searching_with_rg=True,
    seconds=300,
    environment={
        "KILO_DISABLE_AUTOUPDATE": "1",
        "KILO_DISABLE_MODELS_FETCH": "1",
        "KILO_DISABLE_LSP_DOWNLOAD": "1",
        "KILO_DISABLE_SHARE": "1",
        "npm_config_fetch_retries": "0",
    },
    settings={".config/kilo/kilo.json": json.dumps(_OPENCODE)},
    say=say_opencode,
    attached=(PROMPT, "-f", ATTACHED),
)

_CLINE = {
    "settings": {
        "provider": "openai-compatible",
        "apiKey": "dummy",
        "model": "m",
        "baseUrl": f"{URL}/v1",
    },
    "updatedAt": "2026-01-01T00:00:00.000Z",
    "tokenSource": "manual",
}
_CLINE_SERVER = '"hkgit": {"command": "hkgit", "args": ["mcp"]}'
CLINE = Program(
    name="cline",
    title="Cline",
    package="cline",
    version="3.0.65",
    command=("cline", "--json", PROMPT),
    automatic=("--auto-approve", "true"),
    settings={
        ".cline/data/settings/providers.json": json.dumps(
            {
                "version": 1,
                "lastUsedProvider": "openai-compatible",
                "modes": {},
                "providers": {"openai-compatible": _CLINE},
            }
        ),
        ".cline/data/settings/cline_mcp_settings.json": f'{{"mcpServers": {{{_CLINE_SERVER}}}}}',
    },
    advice=_CLINE_SERVER,
    is_stopped=False,
    say=say_cline,
    attached=IN_PROMPT,
)
_GOOSE = "goose-binary-linux-x64"
GOOSE = Program(
    name="goose",
    title="goose",
    package=f"@aaif/{_GOOSE}",
    version="1.52.0",
    command=(_GOOSE, "run", "-t", PROMPT),
    acp=(_GOOSE, "acp"),
    environment={
        "GOOSE_PROVIDER": "openai",
        "GOOSE_MODEL": "m",
        "GOOSE_MODE": "auto",
        "GOOSE_DISABLE_KEYRING": "1",
        "GOOSE_TELEMETRY_ENABLED": "false",
        "OPENAI_HOST": URL,
        "OPENAI_API_KEY": "dummy",
    },
    server=("--with-extension", "hkgit mcp"),
    say=say_goose,
)

PROGRAMS = (CLAUDE, CODEX, GEMINI, OPENCODE, KILO, COPILOT, QWEN, PI, CLINE, GOOSE)
