"""Checks of the text that a game writes and reads: positions, actions, input for bots, wrong replies, records."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from lapilli.cli.checking.subject import CheckFailed, Subject, actors, must, random_step, replies_of
from lapilli.core.api import SIMULTANEOUS, Fault, Setup, State, Termination
from lapilli.core.errors import IllegalAction, LapilliError, PositionError
from lapilli.core.picture.words import quantity
from lapilli.core.protocol.defaults import PlainProtocol
from lapilli.core.protocol.input_lines import InputLines, Reader
from lapilli.core.protocol.protocol import MAX_REPLY
from lapilli.core.reading.text import MESSAGE_LENGTH, quoted
from lapilli.match import play_match, verify
from lapilli.match.record import parse_record

_NO_POSITIONS = ("", "x", "rubbish rubbish", "\x00", "9" * 5000, "./" * 200, "- - - - -", "é 1")
_WRONG_REPLIES = ("", "\x00", "no such thing", "ÿþ", "9" * MAX_REPLY, "-1 -1 -1", ";;;;", "NaN")
_LONGEST_MESSAGE = 4 * MESSAGE_LENGTH + len(" MSG ")
"""Greatest length of the message to spectators at the end of a reply, in bytes."""
_MOST_SHOWN = 20
"""Greatest number of characters of a text that the message of a failure quotes."""


def check_positions(subject: Subject) -> str:
    """Checks that the notation of a position gives the same position when it is read, and that other text is
    refused.

    `subject`: the game, with random matches of it. Returns in a few words what was tested. Raises CheckFailed if the
    game does not pass.
    """
    game, count = subject.game, 0
    for state in subject.positions():
        copy, random = state.clone(), Random(count)
        must("\n" not in copy.position(), "the notation has several lines", "write one line in State.position")
        # A position within a simultaneous turn has no notation.
        while copy.current_player() == SIMULTANEOUS and copy.turn == state.turn:
            if not random_step(copy, random):
                break
        if copy.is_terminal():
            continue
        text = copy.position()
        again = game.new_initial_state(Setup.from_dict({**copy.setup.to_dict(), "position": text}))
        must(
            again.position() == text,
            f"{_shown(text)} is read, and written as {_shown(again.position())}",
            "let State.initial read all that State.position writes",
        )
        for _ in range(4):
            must(
                _seen(again) == _seen(copy),
                f"the position that is read from {_shown(text)} differs from the one that was written",
                "let State.position write all that decides how the game goes on, and State.initial read it",
            )
            if copy.is_terminal():
                break
            seed = random.getrandbits(32)
            if not (random_step(copy, Random(seed)) and random_step(again, Random(seed))):
                break
        count += 1
    subject.place = ""
    for text in _NO_POSITIONS:
        _check_refused(subject, text)
    return f"{quantity(count, 'position')} read back, {len(_NO_POSITIONS)} wrong texts refused"


def _check_refused(subject: Subject, text: str) -> None:
    advice = "let State.initial raise a PositionError if setup.position is not a position"
    try:
        subject.game.from_position(text)
    except PositionError as refusal:
        must(len(str(refusal)) < 400 and "\n" not in str(refusal), "a PositionError is long", "say it in one line")
    except Exception as error:
        raise CheckFailed(f"the position {_shown(text)} raises {type(error).__name__}", advice) from None
    else:
        raise CheckFailed(f"{_shown(text)} is read as a position", advice)


def _seen(state: State) -> list[Any]:
    """Returns everything that players, the referee and spectators can observe of a position, to compare positions."""
    over = state.is_terminal()
    return [
        (state.current_player(), state.asked(), state.turn, state.scores(), state.returns(), state.outcome()),
        (state.position(), str(state)),
        [] if over else [state.legal_actions(player) for player in actors(state)],
        [state.observation(player).tobytes() for player in range(state.num_players)],
        [] if over else [state.game.protocol.turn_input(state, player) for player in state.asked()],
    ]


def check_actions(subject: Subject) -> str:
    """Checks that each legal action has a different notation, which gives the same action when it is read.

    `subject`: the game, with random matches of it. Returns in a few words what was tested. Raises CheckFailed if the
    game does not pass.
    """
    count = 0
    is_plain = isinstance(subject.game.protocol, PlainProtocol)
    for state in subject.positions():
        if state.is_terminal():
            continue
        is_joint = state.current_player() == SIMULTANEOUS
        for player in [*actors(state)] if is_joint else [None]:
            legal = state.legal_actions(player)
            texts = [state.action_to_string(action, player) for action in legal]
            must(len(set(texts)) == len(texts), "two legal actions have the same notation", "tell them apart")
            for action, text in zip(legal, texts, strict=True):
                must(
                    not is_plain or text.split() == [text],
                    f"the notation {_shown(text)} has blanks",
                    "write one word: bots read the legal actions as words of a line",
                )
                read = state.string_to_action(text, player)
                must(read == action, f"{_shown(text)} is read as another action", "correct string_to_action")
            count += len(legal)
        try:
            state.string_to_action("no such action")
        except IllegalAction:
            continue
        raise CheckFailed("'no such action' is read as an action", "let string_to_action raise an IllegalAction")
    return quantity(count, "action")


@dataclass
class _Reading:
    """Checks that positions can be reconstructed from the text that bots are sent: the readers of one match.

    Attributes:
        readers: by player, the game's `Reader`, which converts the text for the player's bot back into positions.
    """

    readers: dict[int, Reader] = field(default_factory=dict)

    def read(self, state: State, player: int) -> State:
        """Returns the position that the reader of `player` reconstructs from the bot's input in this turn."""
        game, setup, first = state.game, state.setup, player not in self.readers
        text = game.protocol.input_for(state, player, first)
        must(text.endswith("\n"), "what a bot is sent does not end with a line end", "end every line with \\n")
        lines = InputLines(text.splitlines(keepends=True))
        if first:
            known = Setup(league=setup.league, own=setup.own)
            self.readers[player] = game.protocol.reader(game, known)
            self.readers[player].opening(lines)
        read, number = self.readers[player].turn(lines)
        must(number == player, f"player {player}'s text is read as player {number}'s", "correct Protocol.reader")
        try:
            left = lines.peek()
        except EOFError:
            return read
        raise CheckFailed(f"the reader leaves the line {_shown(left)} unread", "let Reader.turn read the whole turn")


def check_bots(subject: Subject) -> str:
    """Checks that a bot's input contains all that its player may know and do, and that legal replies are played.

    `subject`: the game, with random matches of it. Returns in a few words what was tested. Raises CheckFailed if the
    game does not pass.
    """
    count, protocol, reading = 0, subject.game.protocol, _Reading()
    for state, replies in subject.turns():
        if subject.last_step is None:
            reading = _Reading()
        else:
            faults = subject.last_step.report.faults
            must(not faults, f"a legal reply is a fault: {faults and faults[0].reason}", "correct Protocol.play_turn")
        for player, reply in replies.items():
            own = reading.read(state, player)
            must(
                own.legal_actions(player) == state.legal_actions(player)
                and own.observation(player).tobytes() == state.observation(player).tobytes()
                and protocol.turn_input(own, player) == protocol.turn_input(state, player),
                "the position that is read from a bot's text differs from the one that was written",
                "let the text say all that the player may know and do",
            )
            must(
                len(reply.encode()) + _LONGEST_MESSAGE < MAX_REPLY,
                f"a turn needs a reply of {len(reply.encode())} bytes; a bot may write {MAX_REPLY}",
                "shorten the notation of actions",
            )
            must(protocol.reply_lines(state, player) >= 1, "a reply has no lines", "let reply_lines return 1 or more")
            count += 1
    return f"{count} replies"


def check_wrong_replies(subject: Subject) -> str:
    """Checks how a game handles wrong replies (the turn's report contains them, and nothing crashes) and missing ones.

    A player who does not reply must not be asked again, and must come last.

    `subject`: the game, with random matches of it. Returns in a few words what was tested. Raises CheckFailed if the
    game does not pass.
    """
    game, count = subject.game, 0
    for setup in subject.setups():
        start = _first_question(game.new_initial_state(setup))
        if start is None:
            continue
        for reply in _WRONG_REPLIES:
            subject.place = f"reply {_shown(reply)}"
            state = start.clone()
            first = start.asked()[0]
            report = game.protocol.play_turn(state, {first: reply})
            reported = report.actions.get(first)
            must(reported == reply, "the turn's report has another reply", "report replies as they are")
            must(all(len(fault.reason) < 300 for fault in report.faults), "a fault's reason is long", "shorten it")
            count += 1
        subject.place = "no reply"
        _check_silence(start.clone(), start.asked()[0])
    return f"{count} wrong replies"


def _first_question(state: State) -> State | None:
    """Returns the first position in which a player is asked, after playing the automatic turns before it on `state`.

    Returns None if no player is ever asked.
    """
    for _ in range(state.game.max_turns):
        if state.asked():
            return state
        state.game.protocol.play_turn(state, {})
    return None


def _check_silence(state: State, loser: int) -> None:
    protocol, random = state.game.protocol, Random(2)
    replies = {player: reply for player, reply in replies_of(state, random).items() if player != loser}
    faults = protocol.play_turn(state, replies).faults
    wanted = Fault(loser, Termination.TIMEOUT, "no reply in time")
    must(faults == [wanted], "a missing reply is not reported as the player's fault", "read replies with `reply_of`")
    for _ in range(state.game.max_turns):
        if state.is_terminal():
            break
        must(loser not in state.asked(), "a player that timed out is asked again", "let the verb leave remove it")
        protocol.play_turn(state, replies_of(state, random))
    outcome = state.outcome()
    must(outcome is not None, "the game is not over after a timeout", "end it when one player is left (field `left`)")
    assert outcome is not None
    must(
        outcome.ranks[loser] == max(outcome.ranks) > 1 and state.returns()[loser] == min(state.returns()) < 0,
        "a player that timed out does not come last",
        "let values and current_player look at the record's field `left`",
    )


def check_records(subject: Subject) -> str:
    """Checks that records of random matches can be read and verified, and that the same seed gives the same match.

    `subject`: the game, with random matches of it. Returns in a few words what was tested. Raises CheckFailed if the
    game does not pass.
    """
    game, count = subject.game, 0
    for setup in subject.setups():
        keys = {key: value for key, value in setup.to_dict().items() if key != "players"}
        players = ["random"] * (setup.players or 2)
        record = play_match(game, players, **keys)
        faults = [entry.fault.reason for entry in record.turns if entry.fault]
        must(not faults, f"random play has a fault: {faults and faults[0]}", "correct Protocol.play_turn")
        must(record.outcome is not None and record.outcome.ranks, "the match has no result", "correct State.outcome")
        turns = max((entry.turn for entry in record.turns), default=0)
        must(turns <= game.max_turns, f"a match has {turns} turns, max_turns is {game.max_turns}", "raise max_turns")
        try:
            verify(parse_record(record.to_json()))
        except LapilliError as refusal:
            advice = "let Protocol.play_turn depend on nothing but the position and the replies"
            raise CheckFailed(f"a record cannot be verified: {refusal}", advice) from None
        again = play_match(game, players, **keys)
        for entry in [*record.turns, *again.turns]:
            entry.milliseconds = None
        must(
            record.to_json() == again.to_json(),
            "the same seed gives two different matches",
            "draw everything that is random from setup.seed",
        )
        count += 1
    return f"{quantity(count, 'match')} verified"


def _shown(text: str) -> str:
    return quoted(text, _MOST_SHOWN)
