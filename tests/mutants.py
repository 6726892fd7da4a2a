"""Do the tests notice? A sample of small changes of Lapilli's programs, each against the tests of its floor.

Each mutant has one comparison, operator, condition or number changed, and meets its tests in a copy of the checkout. It
is killed where a test fails, hangs or crashes. Where all tests pass it is alive: a test is missing, or the change makes
no difference (then say why in mutation/equivalent.csv, and it is not drawn again).

The floor "rules" is that of the games' kernels. Such a mutant meets all tests of its game and the conformance tests,
and is compiled anew. A mutant of another floor, or of the scripts in it, meets the tests that call its function, those
first that take little time for little else, up to about two minutes of them; tests that were written since the floor
was measured are always among them. A floor is measured, once, by a run of its tests without any mutant.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import monotonic, sleep

from mutation.callers import Callers
from mutation.floors import FLOORS, GAMES, ROOT, RULES, floor_mutants, game_names, kernel_mutants
from mutation.sites import Mutant, is_known_equivalent, is_the_same_code
from mutation.tracing import NOTES
from mutation.trial import Job, Trial, Verdict, copy_checkout

WANTED = 0.95
"""The share of mutants that must be killed."""
EXAMPLES = """examples:
  python tests/mutants.py                              a hundred mutants, as many of each floor: an hour or two
  python tests/mutants.py --floor match --number 30
  python tests/mutants.py --floor kernels              a hundred of the games' kernels
  python tests/mutants.py --game GAME --number 30      of one game's kernels
  python tests/mutants.py --seed 1 --list              what would be tried
  python tests/mutants.py --only "referee.py:86:"      what is left of a survivor, once there is a test

exit status: 0 if at least 95 % are killed, 1 if not, 2 if the tests fail without any mutant, 130 when interrupted
"""
_PATIENCE, _DRAWN_OUT = 30.0, 4
"""A test hangs that takes so many seconds, and so many times as long as the longest takes without a mutant."""


def main() -> int:
    options = _options()
    floors = [RULES] if options.game else [options.floor] if options.floor else [RULES, *FLOORS]
    drawn = sample(floors, options.seed, options.number, options.only, options.game)
    if options.list:
        for _, mutant in drawn:
            print(mutant)
        return 0
    if not drawn:
        print("no such mutants")
        return 2
    for number in (signal.SIGINT, signal.SIGTERM):  # what runs in a shell's background begins with SIGINT ignored
        signal.signal(number, signal.default_int_handler)
    folder = _folder()
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print("mutants of this checkout are being tried already")
            return 2
        for left in folder.glob("[0-9]*"):  # by a run that was killed
            shutil.rmtree(left)
        course = Course(folder, drawn, options.workers, options.measure)
        try:
            if not course.try_without():
                return 2
            course.run()
        except KeyboardInterrupt:
            print("\ninterrupted; so far:", flush=True)
            course.report()
            return 130
        finally:
            course.end()
        return 0 if course.report() >= WANTED else 1


def _options() -> argparse.Namespace:
    about, _, more = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        description=f"{about}\n\n{more}", epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--number", type=int, default=100, help="how many mutants (100)")
    parser.add_argument("--seed", type=int, default=0, help="the same seed draws the same mutants (0)")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--floor", choices=[RULES, *FLOORS], help="mutants of this floor alone")
    where.add_argument("--game", choices=game_names(), default="", help="mutants of this game's kernels alone")
    parser.add_argument("--only", metavar="TEXT", default="", help="mutants whose line in --list has this text")
    parser.add_argument("--workers", type=int, default=2, help="how many at a time (2)")
    parser.add_argument("--measure", action="store_true", help="measure the floors anew")
    parser.add_argument("--list", action="store_true", help="print the mutants, try none")
    return parser.parse_args()


def _folder() -> Path:
    """The folder of this checkout's copies, and of what is known of its floors; it stays."""
    name = f"lapilli-mutants-{os.getuid()}-{hashlib.sha256(bytes(ROOT)).hexdigest()[:8]}"
    folder = Path(tempfile.gettempdir(), name)
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        sys.exit(f"{folder} belongs to somebody else")
    return folder


def sample(floors: list[str], seed: int, number: int, only: str = "", game: str = "") -> list[tuple[str, Mutant]]:
    """So many mutants (fewer if there are no more), each with its floor, by floor and place. Each floor has the same
    share of them, or one more; where it is named alone, all.

    Args:
        only: text in the line of a mutant.
        game: the only game whose kernels are tried; "" for all.
    """
    drawn = []
    left = number
    for place, floor in enumerate(floors):
        share = -(-left // (len(floors) - place)) if not only else left
        chosen = _chosen(floor, seed, share, only, game)
        left -= len(chosen)
        drawn += [(floor, mutant) for mutant in sorted(chosen, key=lambda m: (m.file, m.start, m.after))]
    return drawn


def _chosen(floor: str, seed: int, number: int, only: str, game: str) -> list[Mutant]:
    games = [game] if game else game_names()
    every = [m for game in games for m in kernel_mutants(game)] if floor == RULES else floor_mutants(floor)
    Random(seed).shuffle(every)
    chosen: list[Mutant] = []
    for mutant in every:
        if len(chosen) == number:
            break
        if only in str(mutant) and not is_known_equivalent(mutant) and not _is_the_same(mutant):
            chosen.append(mutant)
    return chosen


def _is_the_same(mutant: Mutant) -> bool:
    return mutant.file.suffix == ".py" and is_the_same_code((ROOT / mutant.file).read_bytes(), mutant)


class Course:
    """The trials of a sample: some at a time, each in a folder of its own."""

    def __init__(self, folder: Path, drawn: list[tuple[str, Mutant]], workers: int, measure: bool) -> None:
        self._folder = folder
        self._checkout = folder / "checkout"
        copy_checkout(self._checkout)
        self._drawn = [(_group(floor, mutant), mutant) for floor, mutant in drawn]
        self._workers = max(1, workers)
        self._trials: list[Trial] = []
        self._killers: dict[str, Counter[str]] = {name: Counter() for name, _ in self._drawn}
        self._callers: dict[str, Callers] = {}
        for name in self._killers:
            if name in FLOORS and self._map(name).exists() and not measure:
                self._callers[name] = Callers.read(self._map(name))
        self._patience: dict[str, float] = {}
        self._verdicts: dict[Mutant, Verdict] = {}
        self._number = 0
        self._began = monotonic()

    def _map(self, floor: str) -> Path:
        return self._folder / f"{floor}.json"

    def try_without(self) -> bool:
        """Runs the tests without a mutant where that is not known yet, and keeps how long each takes. A game's must
        pass; of a floor's, those that fail are left out."""
        unknown = [name for name in self._killers if name not in self._callers]
        print(f"{len(self._drawn)} mutants; first the tests without any: {', '.join(unknown) or 'known'}", flush=True)
        good = True
        workers, self._workers = self._workers, 1  # floors share one copy, and times are to be compared
        for trial, verdict in self._finished([(name, None) for name in unknown]):
            name = trial.job.name
            self._patience[name] = _PATIENCE + _DRAWN_OUT * verdict.pause
            if trial.job.is_traced and (times := trial.read("times")):
                self._callers[name] = Callers.from_run(
                    times, (trial.place / NOTES).read_text(encoding="utf-8"), verdict.pause
                )
                self._callers[name].write(self._map(name))
                print(f"{name}: {self._callers[name]} in {verdict.seconds:.0f} s", flush=True)
            else:
                ending = f"fail ({verdict.how}: {verdict.why})" if verdict.how else "pass"
                print(f"{name}: {ending} in {verdict.seconds:.0f} s", flush=True)
                good = good and not verdict.how
            if verdict.how:
                print((trial.read("log") or "")[-3000:], flush=True)
        self._workers = workers
        self._began = monotonic()
        return good

    def run(self) -> None:
        """Tries all mutants, and says of each how it fared."""
        for trial, verdict in self._finished(list(self._drawn)):
            mutant = trial.job.mutant
            assert mutant is not None
            self._verdicts[mutant] = verdict
            if verdict.how in ("test", "crash"):
                self._killers[trial.job.name][verdict.why] += 1
            word = "killed" if verdict.killed else "ALIVE "
            by = f"\n    {verdict.how}: {verdict.why}" if verdict.how else ""
            done = f"{len(self._verdicts):3}/{len(self._drawn)} {word} {verdict.seconds:4.0f} s"
            self._clear()
            print(f"{done} {mutant}{by}", flush=True)

    def _finished(self, waiting: list[tuple[str, Mutant | None]]) -> Iterator[tuple[Trial, Verdict]]:
        """Runs what waits, and yields each trial at its end, before its copy is thrown away."""
        waiting.reverse()
        while waiting or self._trials:
            while waiting and len(self._trials) < self._workers:
                self._number += 1
                self._trials.append(Trial(self._checkout, self._folder / str(self._number), self._job(*waiting.pop())))
            for trial in list(self._trials):
                verdict = trial.poll()
                if verdict is not None:
                    yield trial, verdict
                    self._trials.remove(trial)
                    trial.end()
            self._show()
            sleep(0.1)

    def _job(self, name: str, mutant: Mutant | None) -> Job:
        if name not in FLOORS:
            tests = [f"tests/games/{name}", "tests/conformance", "-k", name]
            order = [test for test, _ in self._killers[name].most_common()]
            return Job(name, mutant, tests, order, game=name, patience=self._patience.get(name, 600.0))
        files = {file.relative_to(ROOT).as_posix(): file for file in FLOORS[name].files(ROOT)}
        if mutant is None:
            return Job(name, mutant, list(files))
        callers = self._callers[name]
        order = callers.tests_for(mutant)
        changed = self._map(name).stat().st_mtime
        new = [test for test, file in files.items() if file.stat().st_mtime > changed]
        arguments = list(dict.fromkeys([*new, *(test.partition("::")[0] for test in order)]))
        patience = _PATIENCE + _DRAWN_OUT * callers.pause
        return Job(name, mutant, arguments, order, list(callers.times), patience=patience)

    def _show(self) -> None:
        """The line that tells how far it is."""
        if not sys.stderr.isatty():
            return
        done = len(self._verdicts)
        alive = sum(not verdict.killed for verdict in self._verdicts.values())
        line = f"{done} of {len(self._drawn)} done, {alive} alive"
        if done:
            left = (monotonic() - self._began) / done * (len(self._drawn) - done)
            line += f", about {left / 60:.0f} min left"
        print(f"\r{line}\033[K", end="", file=sys.stderr, flush=True)

    def _clear(self) -> None:
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def report(self) -> float:
        """Says what is alive; returns the share that is killed."""
        self._clear()
        alive = [mutant for mutant, verdict in self._verdicts.items() if not verdict.killed]
        for mutant in alive:
            print(f"\nalive: {mutant.file}:{mutant.line} {mutant.function}\n  - {mutant.was}\n  + {mutant.becomes}")
        killed, number = len(self._verdicts) - len(alive), len(self._verdicts)
        share = killed / number if number else 0.0
        ways = Counter(verdict.how for verdict in self._verdicts.values() if verdict.killed)
        by = ", ".join(f"{count} by a {how}" for how, count in ways.most_common()).replace("a time", "time")
        minutes = (monotonic() - self._began) / 60
        print(f"\n{killed} of {number} killed, {100 * share:.0f} % ({by or 'none'}), in {minutes:.0f} min", flush=True)
        return share

    def end(self) -> None:
        """Ends what is under way."""
        for trial in self._trials:
            trial.end()


def _group(floor: str, mutant: Mutant) -> str:
    """What a mutant's tests are named after: its floor; for a kernel, its game."""
    return mutant.file.relative_to(GAMES).parts[0] if floor == RULES else floor


if __name__ == "__main__":
    sys.exit(main())
