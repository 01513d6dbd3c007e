"""A formatter that runs beside an agent: half a second after a file is changed, it is formatted."""

import sys
import time
from pathlib import Path


def main() -> None:
    path = Path(sys.argv[1])
    before = path.read_bytes()
    while path.read_bytes() == before:
        time.sleep(0.05)
    time.sleep(0.5)
    path.write_bytes(path.read_bytes().replace(b'"', b"'"))


if __name__ == "__main__":
    main()
