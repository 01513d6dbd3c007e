"""The four protocols in which coding agents talk to a model, each read and written here."""

from tests.agents.real.wires import anthropic, chat, gemini, responses
from tests.agents.real.wires.talk import Call, Talk, Wire

WIRES: tuple[Wire, ...] = (
    Wire(r"/messages$", anthropic.read, anthropic.write),
    Wire(r"/chat/completions$", chat.read, chat.write),
    Wire(r"/responses$", responses.read, responses.write),
    Wire(r":(stream)?[gG]enerateContent$", gemini.read, gemini.write),
)

__all__ = ["WIRES", "Call", "Talk", "Wire"]
