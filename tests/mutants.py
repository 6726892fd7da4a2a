"""Do the tests notice? A sample of small changes of the games' kernels, each against that game's tests.

Each mutant has one comparison, operator or number changed, and meets the game's own tests and the conformance tests in
a copy of the checkout of its own, where all kernels are compiled anew. A mutant is killed where a test fails, hangs or
crashes; where all tests pass it is alive: a test is missing, or the change makes no difference (then say why in
mutation/equivalent.csv, and it is not drawn again). Tests that have killed before are run first.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import monotonic, sleep

from mutation.sites import Mutant, is_known_equivalent, is_the_same_code, mutants_of
from mutation.trial import GAMES, ROOT, Trial, Verdict, copy_checkout, game_names

WANTED = 0.95
"""The share of mutants that must be killed."""
EXAMPLES = """examples:
  python tests/mutants.py                              a hundred mutants of all games: half an hour or more
  python tests/mutants.py --game GAME --number 30
  python tests/mutants.py --seed 1 --list              what would be tried
  python tests/mutants.py --only "rules.py:86:"        what is left of a survivor, once there is a test

exit status: 0 if at least 95 % are killed, 1 if not, 2 if the tests fail without any mutant, 130 when interrupted
"""
_PATIENCE, _DRAWN_OUT = 30.0, 4
"""A test hangs that takes so many seconds, and so many times as long as the longest takes without a mutant."""


def main() -> int:
    options = _options()
    games = [options.game] if options.game else game_names()
    drawn = sample(games, options.seed, options.number, options.only)
    if options.list:
        for _, mutant in drawn:
            print(mutant)
        return 0
    if not drawn:
        print("no such mutants")
        return 2
    for number in (signal.SIGINT, signal.SIGTERM):  # what runs in a shell's background begins with SIGINT ignored
        signal.signal(number, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="lapilli-mutants-") as folder:
        course = Course(Path(folder), drawn, options.workers)
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
    parser.add_argument("--game", choices=game_names(), help="mutants of this game alone")
    parser.add_argument("--only", metavar="TEXT", default="", help="mutants whose line in --list has this text")
    parser.add_argument("--workers", type=int, default=2, help="how many at a time (2)")
    parser.add_argument("--list", action="store_true", help="print the mutants, try none")
    return parser.parse_args()


def sample(games: list[str], seed: int, number: int, only: str = "") -> list[tuple[str, Mutant]]:
    """So many mutants (fewer if there are no more), each with its game, by game and place."""
    sources = {
        file.relative_to(ROOT): (game, file.read_bytes())
        for game in games
        for file in sorted((ROOT / GAMES / game).rglob("*.py"))
    }
    every = [mutant for file, (_, source) in sources.items() for mutant in mutants_of(file, source)]
    Random(seed).shuffle(every)
    drawn: list[Mutant] = []
    for mutant in every:
        if len(drawn) == number:
            break
        _, source = sources[mutant.file]
        if only in str(mutant) and not is_known_equivalent(mutant) and not is_the_same_code(source, mutant):
            drawn.append(mutant)
    return [(sources[mutant.file][0], mutant) for mutant in sorted(drawn, key=lambda m: (m.file, m.start, m.after))]


class Course:
    """The trials of a sample: some at a time, each in a folder of its own."""

    def __init__(self, folder: Path, drawn: list[tuple[str, Mutant]], workers: int) -> None:
        self._folder = folder
        self._checkout = folder / "checkout"
        copy_checkout(self._checkout)
        self._drawn = drawn
        self._workers = max(1, workers)
        self._trials: list[Trial] = []
        self._killers: dict[str, Counter[str]] = {game: Counter() for game, _ in drawn}
        self._patience: dict[str, float] = {}
        self._verdicts: dict[Mutant, Verdict] = {}
        self._number = 0
        self._began = monotonic()

    def try_without(self) -> bool:
        """Runs the tests of each game without a mutant: they must pass, and say how long a test takes."""
        print(f"{len(self._drawn)} mutants; first the tests without any: {', '.join(self._killers)}", flush=True)
        good = True
        for trial, verdict in self._finished([(game, None) for game in self._killers]):
            self._patience[trial.game] = _PATIENCE + _DRAWN_OUT * verdict.pause
            ending = f"fail ({verdict.how}: {verdict.why})" if verdict.how else "pass"
            print(f"{trial.game}: {ending} in {verdict.seconds:.0f} s", flush=True)
            if verdict.how:
                good = False
                print(trial.log()[-3000:], flush=True)
        self._began = monotonic()
        return good

    def run(self) -> None:
        """Tries all mutants, and says of each how it fared."""
        for trial, verdict in self._finished(list(self._drawn)):
            assert trial.mutant is not None
            self._verdicts[trial.mutant] = verdict
            if verdict.how in ("test", "crash"):
                self._killers[trial.game][verdict.why] += 1
            word = "killed" if verdict.killed else "ALIVE "
            by = f"\n    {verdict.how}: {verdict.why}" if verdict.how else ""
            done = f"{len(self._verdicts):3}/{len(self._drawn)} {word} {verdict.seconds:4.0f} s"
            self._clear()
            print(f"{done} {trial.mutant}{by}", flush=True)

    def _finished(self, waiting: list[tuple[str, Mutant | None]]) -> Iterator[tuple[Trial, Verdict]]:
        """Runs what waits, and yields each trial at its end, before its copy is thrown away."""
        waiting.reverse()
        while waiting or self._trials:
            while waiting and len(self._trials) < self._workers:
                game, mutant = waiting.pop()
                self._number += 1
                order = [test for test, _ in self._killers[game].most_common()]
                patience = self._patience.get(game, 600.0)
                self._trials.append(
                    Trial(self._checkout, self._folder / str(self._number), game, mutant, order, patience)
                )
            for trial in list(self._trials):
                verdict = trial.poll()
                if verdict is not None:
                    yield trial, verdict
                    self._trials.remove(trial)
                    trial.end()
            self._show()
            sleep(0.1)

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


if __name__ == "__main__":
    sys.exit(main())
