"""Two hundred members in one tournament: what goes wrong, how soon opponents see a turn, and what the site uses.

    python benchmarks/tournament.py                     # three Swiss rounds of tic-tac-toe, in a SQLite file
    python benchmarks/tournament.py --store postgresql  # the same, in a PostgreSQL server that is started for it
    python benchmarks/tournament.py --kind arena --think 0 0     # turns at once

The site is public, and runs in a process of its own. Each member has an account, a session and an address. A member
loads the tournament's page, requests its state every two seconds as the page's script does, and joins. For each match,
the member opens the table's page and its WebSocket, and plays random turns after one to three seconds. Client and site
share the machine. `tests/web/tournament_load.py` contains the members' code.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path[0] = str(TESTS)  # not this folder, whose files have the names of folders there
os.environ.setdefault("LAPILLI_GAMES", str(TESTS / "fifth"))

from lapilli.store import PlayerState
from process_use import ProcessUse
from store.conftest import running
from web.client import PublicSite
from web.tournament_load import Measured, Plan, percentile, played


def times(name: str, values: list[float]) -> str:
    """Formats the number and the distribution of times."""
    parts = "  ".join(f"{share} % {1000 * percentile(values, share / 100):7.1f} ms" for share in (50, 95, 99))
    return f"{name:34} {len(values):7,}   {parts}"


def report(measured: Measured) -> None:
    print(f"requests: {measured.requests:,}, and {measured.reconnects} on connections that were just closed")
    for name, found in (("failed", measured.failed), ("disconnects", measured.disconnects)):
        print(f"{name}: {len(found)}" + "".join(f"\n    {text}" for text in sorted(set(found))[:5]))
    print(times("turn, until the opponent sees it", measured.turns))
    print(times("joining", measured.joins))
    print(times("look at the tournament", measured.looks))
    print(times("opening a table", measured.arrivals))


def measure(plan: Plan, store: str) -> bool:
    """Plays a tournament on a site of its own, and prints what was measured. Returns whether nothing went wrong.

    `plan`: the tournament and its members. `store`: "postgresql" for a PostgreSQL server, otherwise a SQLite file.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "site"
        folder.mkdir()
        place: Path | str = folder / "site.db"
        if store == "postgresql":
            place = stack.enter_context(contextmanager(running)()).new_place()
        site = PublicSite(place, folder=folder, from_nothing=True)
        site.start()
        try:
            assert site.process is not None
            use, own, loads = ProcessUse(site.process.pid), ProcessUse("self"), [os.getloadavg()[0]]
            begun, cpu, own_cpu, waited = time.monotonic(), use.cpu_s(), own.cpu_s(), use.waited_s() + own.waited_s()
            news, measured = played(site, plan)
            seconds, cpu, own_cpu = time.monotonic() - begun, use.cpu_s() - cpu, own.cpu_s() - own_cpu
            waited = use.waited_s() + own.waited_s() - waited
            loads.append(os.getloadavg()[0])
            memory = use.memory_kb("VmHWM") / 1000
        finally:
            code, errors = site.stop()
    missed = sum(player.misses for player in news.players)
    absent = sum(player.state is not PlayerState.PLAYING for player in news.players)
    unfinished = sum(match.points is None for match in news.matches)
    print(f"{plan.players} members, {plan.kind}, {len(news.matches)} matches of {plan.game}, {store}, {seconds:.0f} s")
    print(f"missed matches: {missed}; members who were put out: {absent}; unfinished matches: {unfinished}")
    report(measured)
    print(f"site: {cpu / seconds:.2f} cores, at most {memory:.0f} MB; members together: {own_cpu / seconds:.2f} cores")
    print(
        f"both waited {100 * waited / seconds:.0f} % of the time for a processor; load {loads[0]:.1f}, {loads[1]:.1f}"
    )
    print(f"the site ended with code {code}" + f", after\n{errors[-2000:]}" * bool(errors), flush=True)
    return not (missed or absent or unfinished or measured.failed or measured.disconnects or code or errors)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--kind", choices=("swiss", "arena"), default="swiss")
    parser.add_argument("--game", default="tictactoe")
    parser.add_argument("--clock", default="3+2", help="name of the time control")
    parser.add_argument("--players", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3, help="in an arena: least number of matches of each member")
    parser.add_argument("--joining", type=float, default=5.0, help="seconds within which all join")
    parser.add_argument("--think", type=float, nargs=2, default=(1.0, 3.0), help="limits of the time for a turn, in s")
    given = parser.parse_args()
    low, high = given.think
    plan = Plan(given.kind, given.game, given.clock, given.players, given.rounds, given.joining, think_s=(low, high))
    return 0 if measure(plan, given.store) else 1


if __name__ == "__main__":
    sys.exit(main())
