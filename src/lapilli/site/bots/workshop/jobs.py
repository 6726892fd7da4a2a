"""Jobs that worker processes do.

The function for a job has three arguments: the resources of the worker process (`bench`), the request (`asked`), and a
function to which it reports the job's progress (`send_progress`). It returns the result of the job.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lapilli.arena.matches.cluster_pool import ClusterPool
from lapilli.arena.matches.playing import InProcessPool, Pool, Recipe
from lapilli.core.api import Fault, Setup, Termination
from lapilli.core.errors import LapilliError
from lapilli.games import load
from lapilli.match import Clock, Match, Record
from lapilli.match.record import Entry
from lapilli.players import Answer, PlayerLike, PlayerSpec, Sandbox, make_player
from lapilli.players.bots.process import BotProcess, ask
from lapilli.site.bots.workshop import leagues
from lapilli.site.bots.workshop.asks import MATCH_S, Code, PageData, PlayAsk, RerunAsk, Result, SendProgress, SubmitAsk
from lapilli.site.bots.workshop.bot_input import prompts
from lapilli.site.bots.workshop.bot_seat import BotSeat
from lapilli.site.bots.workshop.builds import Builds
from lapilli.site.bots.workshop.forgetting import forget_entries
from lapilli.store import Store
from lapilli.store.results import pack_record, unpack_record
from lapilli.workers.ray_pool import connect


class Bench:
    """The resources that all jobs of a worker process share.

    Args:
        where: the store's location, as `Store.open` takes it.
        builds: folder of the built bots.
        league_copies: folder with the leagues' copies of bots.
        ray: address of a Ray cluster that plays the matches of comparisons and leagues; None if this process plays
            them.

    Attributes:
        bot_seat: the bot that this process runs for a table.
    """

    def __init__(self, where: str, builds: Path, league_copies: Path, ray: str | None = None) -> None:
        self._ray = ray
        self.store = Store.open(where, create=False)
        self.builds = Builds(self.store, builds)
        self.league_copies = league_copies
        self.bot_seat = BotSeat(self.builds)

    def join(self) -> None:
        """Joins the Ray cluster, if `ray` is set. A second call has no effect.

        Raises:
            LapilliError: the cluster cannot be joined.
        """
        if self._ray is not None:
            connect(self._ray)

    @contextmanager
    def pool(self, recipe: Recipe, playing: Collection[int] | None = None) -> Iterator[Pool]:
        """Opens a pool that plays the matches of a comparison or league, on the Ray cluster or in this process.

        Args:
            recipe: settings that the matches share.
            playing: indices of the contestants that play; None for all of them.
        """
        self.join()
        if self._ray is None:
            yield InProcessPool(recipe)
            return
        with ClusterPool(recipe, self._ray, playing=playing) as pool:
            yield pool


def play(bench: Bench, asked: PlayAsk, send_progress: SendProgress) -> Result:
    """Plays one test match of a bot.

    Args:
        bench: resources of the worker process.
        asked: the job: the game, the players and the setup.
        send_progress: function that reports, after each turn, the record of the match so far.
    """
    game = load(asked.game)
    send_progress({"step": "compiling"})
    players = [_player_of(bench, one, number == asked.seat) for number, one in enumerate(asked.players)]
    folders = {str(bench.builds.folder(one)) for one in asked.players if isinstance(one, Code)}
    end = time.monotonic() + MATCH_S
    send_progress({"step": "playing", "turn": 0})
    with Match(game, players, Setup.from_dict(asked.setup), Clock(), Sandbox.REQUIRE) as match:
        for report in match.turns():
            _forget_folders(match.entries(report.turn), folders)
            send_progress({"step": "playing", "turn": report.turn}, lambda: pack_record(match.record))
            if time.monotonic() > end:
                break
    record = match.record
    _forget_folders(record.turns, folders)
    return Result(data={"step": "played", "turn": match.turns_played, **_result_of(record)}, record=pack_record(record))


def _player_of(bench: Bench, one: str | Code, is_own: bool) -> PlayerLike:
    """Returns a player of a test match, from an engine's name or a bot (`one`).

    If the bot is an opponent (not `is_own`), its version is appended to its name.
    """
    if isinstance(one, str):
        return one
    return bench.builds.player(one) if is_own else bench.builds.player(one, f"{one.name} {one.version}")


def _result_of(record: Record) -> PageData:
    outcome = record.outcome
    if outcome is None:
        return {"reason": "it was stopped"}
    return {"reason": outcome.reason, "ranks": outcome.ranks, "scores": outcome.scores}


def _forget_folders(entries: Iterable[Entry], folders: set[str]) -> None:
    """Removes the paths of these folders from what bots wrote to stderr, so that pages do not show the paths.

    `entries`: answers in a match's record, which are changed in place. `folders`: the folders of the bots' programs.
    """
    for entry in entries:
        for folder in folders:
            entry.stderr = entry.stderr.replace(f"{folder}/", "")


def rerun(bench: Bench, asked: RerunAsk, send_progress: SendProgress) -> Result:
    """Starts a bot again, and sends it the inputs of all its turns of a match again, up to the requested turn.

    So the bot's author sees how the bot replies in this turn.

    Args:
        bench: resources of the worker process.
        asked: the job: the bot, the match and the turn.
        send_progress: function that reports which turn is being played.
    """
    trial = bench.store.site.trials.get(asked.trial)
    if trial is None or trial.record is None:
        raise LapilliError("that match is no longer stored: play again")
    seat = int(trial.request["seat"])
    record = unpack_record(trial.record)
    send_progress({"step": "compiling"})
    spec = bench.builds.player(asked.own)
    player = make_player(record.load_game(), spec, seat, 0, Sandbox.REQUIRE)
    assert isinstance(player, BotProcess)
    differs, answer = 0, None
    end = time.monotonic() + MATCH_S
    try:
        fault = player.start()
        for turn, prompt, recorded in prompts(record, player, seat, asked.turn):
            if player.dialogue is None or time.monotonic() > end:
                break
            send_progress({"step": "playing", "turn": turn})
            [answer] = ask([prompt])
            if turn < asked.turn and answer.reply != recorded and not differs:
                differs = turn
            if isinstance(answer.reply, Fault):
                break
    finally:
        words = player.close()
    answer = answer or Answer(fault or Fault(seat, Termination.TIMEOUT, "there was no time to get there"))
    return Result(data=_rerun_data(answer, words, differs, asked, spec))


def _rerun_data(answer: Answer, words: str, differs: int, asked: RerunAsk, spec: PlayerSpec) -> PageData:
    has_failed = isinstance(answer.reply, Fault)
    return {
        "step": "played",
        "turn": asked.turn,
        "reply": "" if isinstance(answer.reply, Fault) else answer.reply,
        "fault": answer.reply.reason if isinstance(answer.reply, Fault) else "",
        "stderr": (answer.stderr + (words if has_failed else "")).replace(f"{spec.folder}/", ""),
        "ms": round(answer.milliseconds, 1),
        "differs": differs,
    }


def submit(bench: Bench, asked: SubmitAsk, send_progress: SendProgress) -> Result:
    """Enters a version of a bot in its game's league. The version replaces the bot's earlier version there.

    Args:
        bench: resources of the worker process.
        asked: the job: the game and the version.
        send_progress: function that reports the present step, such as "compiling".
    """
    send_progress({"step": "compiling"})
    folder = bench.builds.folder(asked.own)
    player = bench.builds.player(asked.own)
    store = bench.store
    bot = store.site.bots.get(asked.own.bot_id)
    if bot is None:
        raise LapilliError("that bot was deleted")
    league = leagues.find_or_make(store, asked.game, bench.league_copies)
    leagues.check_free(league, bot.name, bot.submitted > 0)
    send_progress({"step": "trying"})
    entry = league.enter(bot.name, str(player.command), version=str(asked.own.version), folder=folder)
    if not store.site.bots.submit(bot.id, asked.own.version):
        forget_entries(store, bot, league)
        raise LapilliError("that bot was deleted")
    leagues.withdraw_others(store, league, entry)
    return Result(data={"step": "entered", "number": entry.number, "division": entry.division})
