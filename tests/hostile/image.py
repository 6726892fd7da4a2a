"""Builds the image of Containerfile without compilers, starts the site in it, and checks what docs/hosting.md promises.

    PYTHONPATH=tests .venv/bin/python tests/hostile/image.py [--base]

It prints how large the image is, on a disk and as a registry sends it, and ends with 1 if it sends more than 300 MB, if
the site runs as root, or if the health check does not find the site well.

It needs what `tests/hostile/container.py` needs, which also says what --base is for.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
from pathlib import Path

from hostile.container import NAME, Engine, build, make_base, remove, start

IMAGE = "localhost/lapilli:small"
LARGEST = 300_000_000
"""Bytes of the image without compilers, compressed, at most."""


def sent_bytes(engine: Engine, home: Path) -> int:
    """The size of the image as a registry sends it, compressed."""
    file = home / "image.tar"
    engine("podman", "save", "--quiet", "--output", str(file), IMAGE)
    with file.open("rb") as opened:
        sent = sum(len(gzip.compress(portion, 6)) for portion in iter(lambda: opened.read(1 << 24), b""))
    file.unlink()
    return sent


def faults(engine: Engine) -> list[str]:
    """What is wrong with the site that runs in the image."""
    found = []
    if engine("podman", "exec", NAME, "id", "-u").strip() == "0":
        found.append("the site runs as root")
    engine("podman", "healthcheck", "run", NAME, quiet=True)  # its exit code is in the container's state, too
    state = json.loads(engine("podman", "inspect", NAME))[0]["State"]
    health = (state.get("Health") or state.get("Healthcheck") or {}).get("Log") or []
    if not health or health[-1]["ExitCode"]:
        found.append(f"the health check says that the site is not well: {health}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", action="store_true", help="make a stand-in for the base image")
    asked = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="lapilli-image-", dir="/var/tmp"))
    engine = Engine(home)
    try:
        build(engine, home, make_base(engine, home) if asked.base else "", name=IMAGE, languages="")
        size = json.loads(engine("podman", "image", "inspect", IMAGE))[0]["Size"]
        sent = sent_bytes(engine, home)
        print(f"image without compilers: {size / 1e6:.0f} MB, compressed {sent / 1e6:.0f} MB", flush=True)
        start(engine, image=IMAGE)
        wrong = faults(engine) + (["it is too large"] if sent > LARGEST else [])
    finally:
        remove(engine, home)
    print("\n".join(wrong or ["the site does not run as root, and is well"]))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
