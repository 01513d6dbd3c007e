"""What Claude Code prints of a session, and lines of a log that hold others.

`--output-format stream-json` prints an object a line; the action for GitHub saves a list of them.
"""

from __future__ import annotations

from hkgit.agents.transcripts.json_fields import Line, Record, table


class ClaudeStream:
    """Writes the lines of a stream (`--output-format stream-json`) as those of a log.

    There the first line tells of the session, and fields have other names. A line of a log may
    wrap one of a sub-agent (`progress`).
    """

    def __init__(self) -> None:
        self._about: Record = {}

    def unify(self, line: Line) -> Line:
        """Write a line as a log has it."""
        record = line.record
        data = table(record.get("data"))
        inner = table(data.get("message"))
        if record.get("type") == "progress" and "message" in inner:
            own = {"agentId": data.get("agentId"), "isSidechain": True}
            return Line(line.where, record | inner | own)
        if "session_id" not in record or "sessionId" in record:
            return line
        if record.get("type") == "system" and "cwd" in record:
            version = record.get("claude_code_version")
            self._about = {"cwd": record["cwd"], "version": version}
        more: Record = {"sessionId": record["session_id"]}
        if "tool_use_result" in record:
            more["toolUseResult"] = record["tool_use_result"]
        if record.get("parent_tool_use_id") is not None:
            more["agentId"] = str(record["parent_tool_use_id"])[-18:]
        return Line(line.where, self._about | record | more)
