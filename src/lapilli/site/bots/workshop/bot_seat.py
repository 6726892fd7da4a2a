"""Bots as opponents at the site's tables. A worker process keeps one bot running, and asks the bot turn by turn."""

from __future__ import annotations

from typing import NamedTuple

from lapilli.core.api import Fault, State, Termination
from lapilli.core.errors import LapilliError
from lapilli.match import Clock, Record
from lapilli.players import Answer, Sandbox, make_player
from lapilli.players.bots.build import BuildError
from lapilli.players.bots.process import BotProcess, Prompt, ask
from lapilli.site.bots.workshop.asks import Code, PageData, Result
from lapilli.site.bots.workshop.bot_input import prompts
from lapilli.site.bots.workshop.builds import Builds


class SitAsk(NamedTuple):
    """A question to a bot at a table.

    Attributes:
        code: the bot.
        player: the bot's player number.
        turn: number of the turn.
        state: the position in which the bot must reply.
        record: the record of the match up to this position.
        taken_back: number of times that turns were taken back at the table. After each time, the bot is started again.
    """

    code: Code
    player: int
    turn: int
    state: State
    record: Record
    taken_back: int


class BotSeat:
    """The bot that a worker process runs for a table.

    A bot may remember what it was asked earlier in the match. So a bot that has not received the inputs of all earlier
    turns from this process is started again. It then receives these inputs first, and its replies to them are ignored.

    Args:
        builds: builds the bot, if necessary, and returns the built program.
    """

    def __init__(self, builds: Builds) -> None:
        self._builds = builds
        self._bot: BotProcess | None = None
        self._asked_turns: tuple[int, list[int]] | None = None

    def answer(self, asked: SitAsk) -> Result:
        """Asks the bot for its reply in one turn. `asked`: the bot, the position and the match so far.

        Returns:
            A result whose `data` has the keys `reply` and `milliseconds`. If the bot had a fault, the keys are `fault`,
            `reason` and `milliseconds`.

        Raises:
            LapilliError: the site could not ask the bot, and the bot is not at fault.
        """
        before = sorted({one.turn for one in asked.record.turns if one.player == asked.player})
        fault = None
        if self._bot is None or self._asked_turns != (asked.taken_back, before):
            fault = self._start(asked)
        answer = Answer(fault) if fault else self._ask(asked, first=not before)
        self._asked_turns = (asked.taken_back, [*before, asked.turn])
        if isinstance(answer.reply, Fault) or fault:
            self.close()
        return Result(data=_reply_data(answer))

    def close(self) -> None:
        """Ends the process of the bot, if it is running."""
        if self._bot is not None:
            self._bot.close()
        self._bot = None

    def _start(self, asked: SitAsk) -> Fault | None:
        self.close()
        try:
            spec = self._builds.player(asked.code)
        except BuildError:
            return Fault(asked.player, Termination.NOT_STARTED, "it does not compile")
        bot = make_player(asked.state.game, spec, asked.player, 0, Sandbox.REQUIRE, freeze_idle=True)
        assert isinstance(bot, BotProcess)
        self._bot = bot
        fault = bot.start()
        for _, prompt, _ in [] if fault else prompts(asked.record, bot, asked.player, asked.turn - 1):
            [answer] = ask([prompt])
            if isinstance(answer.reply, Fault):
                return answer.reply
        return fault

    def _ask(self, asked: SitAsk, first: bool) -> Answer:
        game, bot = asked.state.game, self._bot
        assert bot is not None
        limits = Clock().limits(game, first)
        text = game.protocol.input_for(asked.state, asked.player, first=first)
        lines = game.protocol.reply_lines(asked.state, asked.player)
        [answer] = ask([Prompt(bot, text, lines, limits.limit_ms)])
        return answer


def _reply_data(answer: Answer) -> PageData:
    reply = answer.reply
    if not isinstance(reply, Fault):
        return {"reply": reply, "milliseconds": answer.milliseconds}
    if not reply.termination.is_fault:
        raise LapilliError(f"the bot could not be asked: {reply.reason}")
    return {"fault": str(reply.termination), "reason": reply.reason, "milliseconds": answer.milliseconds}
