"""Kilo Code's command line, a fork of OpenCode: kilo.ai/docs/cli."""

from __future__ import annotations

from hkgit.agents.programs import opencode

AGENT = opencode.describe("kilo", "https://app.kilo.ai/config.json", "/kilo.db")
