"""pictures.py: the pictures of the documentation, from real runs on the history of `orchard.py`.

`python -m tests.audit.page.pictures` draws them anew: the terminal as SVG, the page (where there
is Chromium with its driver) as PNG.
"""

import os
import re
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

from tests.audit.page.browser import Driver, open_browser, resize, show
from tests.support.repos import make_templates, sealed_environment
from tests.support.specs import search_replace

DOCS = Path(__file__).parents[3] / "docs"
COLUMNS = 112
_STYLE = re.compile(r"\x1b\[([\d;]*)m")
_FILLS = {
    "31": "#f28779",
    "32": "#87c38a",
    "33": "#e6c36a",
    "34": "#7aa6da",
    "36": "#7cc5c0",
    "90": "#8b95a1",
}
_CELL, _LINE = 8.43, 21


def draw_terminal(command: str, output: str) -> str:
    """A terminal with a command and what it printed, colours and all."""
    lines = [f"\x1b[90m$ {command}\x1b[0m", *output.rstrip("\n").split("\n")]
    height, width = _LINE * len(lines) + 40, round(_CELL * COLUMNS) + 48
    rows = "\n".join(
        f'<text x="24" y="{34 + _LINE * number}">{_spans(line)}</text>'
        for number, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" role="img" aria-label="{escape(command)}">\n'
        f'<rect width="{width}" height="{height}" rx="8" fill="#1b1f24"/>\n'
        '<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14"'
        f' fill="#dfe3e8" xml:space="preserve">\n{rows}\n</g></svg>\n'
    )


def _spans(line: str) -> str:
    """The pieces of a line, each where its column is, whatever font a reader has."""
    shown, column, fill = "", 0, ""
    for at, piece in enumerate(_STYLE.split(line)):
        if at % 2:
            fill = _FILLS.get(piece.split(";")[-1], "")
            continue
        for word in re.finditer(r"\S+(?: \S+)*", piece):
            x = 24 + _CELL * (column + word.start())
            long = f' textLength="{_CELL * len(word[0]):.1f}"'
            painted = f' fill="{fill}"' if fill else ""
            shown += f'<tspan x="{x:.1f}"{long}{painted}>{escape(word[0])}</tspan>'
        column += len(piece)
    return shown


def run(repo: Path, *words: str, stdin: str = "") -> str:
    """What a command of hkgit prints, in colour."""
    command = [sys.executable, "-m", "hkgit", *words]
    environment = os.environ | {"COLUMNS": str(COLUMNS)}
    done = subprocess.run(
        command, cwd=repo, input=stdin, env=environment, capture_output=True, text=True
    )
    return done.stdout


def refuse_some(repo: Path) -> None:
    """Let two agents send what is refused, one of them until it lands."""
    for agent, file, text in (
        ("aider/0.86", "stock", "    def gone("),
        ("gemini-cli/0.9", "stock", "kilo: int"),
        ("codex/0.58", "api", "CENTS"),
    ):
        wrong = search_replace(text, "x", f"src/orchard/{file}.py")
        run(repo, "apply", "--agent", agent, "-", stdin=wrong)


def take_pictures(page: str) -> None:
    """Screenshots of the page: first screen, a hunk, a phone, the dark."""
    script = "return document.querySelector('[data-evidence=\"receipt\"] .hunk').id"
    with open_browser() as browser:
        _shoot(browser, page, "page.png", 1180, 800)
        _shoot(browser, f"{page}#{browser.execute_script(script)}", "page-hunk.png", 1180, 560)
        _shoot(browser, page, "page-dark.png", 1180, 800, scheme="dark")
        _shoot(browser, page, "page-phone.png", 390, 844)


def _shoot(
    browser: Driver, page: str, name: str, width: int, height: int, scheme: str = "light"
) -> None:
    resize(browser, width, height)
    show(browser, page, prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
    browser.execute_async_script("setTimeout(arguments[0], 500)")
    browser.save_screenshot(str(DOCS / name))


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="hkgit-pictures-") as place:
        os.environ |= sealed_environment(os.environ, Path(place))
        make_templates()
        from tests.support.orchard import plant

        repo = plant(Path(place) / "orchard").repo.path
        refuse_some(repo)
        command = "log start..HEAD -n 14"
        shown = run(repo, *command.split(), "--color", "always")
        (DOCS / "terminal.svg").write_text(draw_terminal(f"hkgit {command}", shown), "utf-8")
        page = Path(place) / "page.html"
        run(repo, "report", "start..HEAD", "--html", str(page))
        take_pictures(page.as_uri())


if __name__ == "__main__":
    main()
