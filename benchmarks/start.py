"""Time that `lapilli site` takes from its start to its first page.

    python benchmarks/start.py

The benchmark starts several sites, each in a process of its own and on an empty store. Kernels are compiled already. A
first site, which is not measured, brings all files into the system's cache. The figures are the time until the whole
response to `/` has arrived, and the site's processor time until then.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from statistics import median

GOAL_S = 2.0
PATIENCE_S = 60.0
_AGAIN_S = 0.005


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])


def started(folder: str) -> tuple[float, float]:
    """Starts a site whose files are in the empty folder `folder`.

    Returns the seconds until the first page has arrived, and the site's processor time in them.
    """
    port = free_port()
    command = [sys.executable, "-m", "lapilli", "site", "--no-browser", "--port", str(port)]
    begun = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment(folder)) as process:
        try:
            while not has_page(port):
                if process.poll() is not None or time.perf_counter() - begun > PATIENCE_S:
                    sys.exit("the site does not start")
                time.sleep(_AGAIN_S)
            return time.perf_counter() - begun, cpu_s(process.pid)
        finally:
            process.send_signal(signal.SIGINT)


def environment(folder: str) -> dict[str, str]:
    """Returns environment variables for a site: its store is empty, and Python's bytecode files are used as in an
    installed program.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"XDG_DATA_HOME": folder}


def has_page(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE_S) as answer:
            return bool(answer.read())
    except urllib.error.URLError:
        return False


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=7)
    given = parser.parse_args()
    if not 0 < given.times <= 100:
        parser.error("--times wants 1 to 100")
    taken = []
    for _ in range(given.times + 1):
        with tempfile.TemporaryDirectory() as folder:
            taken.append(started(folder))
    spent = median(wall for wall, _ in taken[1:])
    print(f"first page after {spent:.2f} s, of which {median(cpu for _, cpu in taken[1:]):.2f} s on a processor")
    print(f"the goal ({GOAL_S} s) is {'met' if spent <= GOAL_S else 'missed'}")
    return 0 if spent <= GOAL_S else 1


if __name__ == "__main__":
    sys.exit(main())
