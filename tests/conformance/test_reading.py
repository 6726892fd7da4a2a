"""Positions read back from bot text: what a player may know and do there is what it is where the text was written."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

import lapilli
from conformance.walks import GAMES, setups
from lapilli.core.api import Game, Setup, State
from lapilli.core.errors import InputError, LapilliError, UnknownName
from lapilli.core.protocol.input_lines import InputLines, Reader
from lapilli.games import load, names
from lapilli.match.inputs import inputs
from lapilli.players.engines.builtin import builtin_engines, builtin_names
from lapilli.players.engines.catalogue import strongest
from lapilli.players.engines.stdio_bot import run_stdio_bot
from plain import printed_either_way

FORMS = [(game, setup) for game in map(load, names()) for setup in setups(game) if setup.seed is not None]
"""Without a seed lots are left to others, and no referee can play."""
SEEDED = [pytest.param(*form, id=f"{form[0].name} {form[1].to_dict()}") for form in FORMS]
OPENINGS, TURNS, GARBLED = 12, 8, 250
RUBBISH = ["", " ", "x", "no such thing", "\x00", "é 1", "9" * 5000, "-1 -1 -1", "2", "2\n4", "-9 " * 80, "1e3", "½"]


def told(setup: Setup) -> Setup:
    """What a bot's user knows of a match; the text tells the rest."""
    return Setup(league=setup.league, own=setup.own)


class Told:
    """The readers of all players, each with the first setup of its positions."""

    def __init__(self, game: Game, setup: Setup) -> None:
        self._game, self._setup = game, setup
        self._readers: dict[int, tuple[Reader, list[Setup]]] = {}

    def read(self, state: State, player: int) -> tuple[State, int]:
        """The position that `player` is told, from just the lines that it is sent."""
        first = player not in self._readers
        lines = InputLines(self._game.protocol.input_for(state, player, first).splitlines(keepends=True))
        if first:
            self._readers[player] = self._game.protocol.reader(self._game, self._setup), []
            self._readers[player][0].opening(lines)
        reader, seen = self._readers[player]
        own, number = reader.turn(lines)
        with pytest.raises(EOFError):
            lines.peek()
        seen.append(own.setup)
        assert own.setup is seen[0]
        return own, number


def along_a_match(game: Game, state: State, look: Callable[[State, int], None], turns: int) -> None:
    """Plays a match and looks at every question: the first player at random, the others as well as a quick one can."""
    random = Random(3)
    engines = [*builtin_engines(game).values()]
    while turns and (state.asked() or not state.is_terminal()):
        replies = {}
        for player in state.asked():
            look(state, player)
            actions = engines[-1 if player else 0](state.clone(), player, random)
            replies[player] = game.protocol.format_reply(state, player, actions)
        game.protocol.play_turn(state, replies)
        turns -= 1


@pytest.mark.parametrize(("game", "setup"), SEEDED)
def test_what_is_read_is_what_was_written(game: Game, setup: Setup) -> None:
    readers = Told(game, told(setup))

    def look(state: State, player: int) -> None:
        own, number = readers.read(state, player)
        assert number == player
        assert own.turn == state.turn
        assert own.observation(player).tolist() == state.observation(player).tolist()
        assert own.legal_actions(player) == state.legal_actions(player)
        assert game.protocol.turn_input(own, player) == game.protocol.turn_input(state, player)

    along_a_match(game, game.new_initial_state(setup), look, game.max_turns)


@pytest.mark.parametrize(("game", "setup"), [form for form in FORMS if form[0].openings(form[1])])
def test_matches_that_begin_at_an_opening(game: Game, setup: Setup) -> None:
    """There the text may not tell the turn; but all that is on the board."""
    positions = game.openings(setup)
    for position in positions[:: len(positions) // OPENINGS]:
        readers = Told(game, told(setup))

        def look(state: State, player: int, readers: Told = readers) -> None:
            own, number = readers.read(state, player)
            assert own.legal_actions(number) == state.legal_actions(player)
            assert game.protocol.turn_input(own, number) == game.protocol.turn_input(state, player)

        along_a_match(game, game.from_position(position, **setup.to_dict()), look, TURNS)


def repeatable(game: Game) -> list[str]:
    """Who plays the same whenever it thinks again."""
    return [builtin_names(game)[-1], *(f"{search}:nodes=4" for search in game.searches)]


@pytest.mark.parametrize(
    ("game", "setup", "name"),
    [
        pytest.param(game, setup, name, id=f"{game.name} {setup.to_dict()} {name}")
        for game, setup in FORMS
        for name in repeatable(game)
    ],
)
def test_as_a_bot_an_opponent_replies_as_it_does_within_a_match(game: Game, setup: Setup, name: str) -> None:
    """For the seed of the match."""
    keys = {key: value for key, value in setup.to_dict().items() if key != "players"}
    record = lapilli.play_match(game, [name] * (setup.players or 2), **keys)
    for player in range(setup.players or 2):
        replies: list[str] = []
        source = "".join(inputs(record, player)).splitlines()
        run_stdio_bot(game, name, told(setup), setup.seed or 0, source, replies.append)
        assert replies == [entry.reply() for entry in record.turns if entry.player == player]


@pytest.mark.parametrize("game", GAMES)
def test_an_unfinished_input_is_the_end(game: Game) -> None:
    state = game.new_initial_state(seed=1)
    lines = game.protocol.input_for(state, state.asked()[0], first=True).splitlines()
    for length in {0, 1, len(lines) // 2, len(lines) - 1}:
        run_stdio_bot(game, strongest(game), Setup(), 0, lines[:length], pytest.fail)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("rubbish", RUBBISH)
def test_rubbish_is_refused_in_one_line(game: Game, rubbish: str) -> None:
    with pytest.raises(LapilliError) as caught:
        run_stdio_bot(game, "random", Setup(), 0, [*rubbish.split("\n"), *["?"] * 400], pytest.fail)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(("game", "setup"), SEEDED)
def test_a_garbled_input_is_refused_or_read(game: Game, setup: Setup) -> None:
    """Nothing else happens, whatever words are changed, lost, or in another place."""
    lines, refusals, random = some_inputs(game, setup), list[str](), Random(5)
    words = [word for line in lines for word in line.split()]
    for _ in range(GARBLED):
        garbled = list(lines)
        for _ in range(random.choice([1, 1, 2, 5])):
            place = random.randrange(len(garbled))
            line = garbled[place].split(" ")
            line[random.randrange(len(line))] = random.choice([*random.sample(words, 3), "-1", "99", "x", ""])
            garbled[place : place + 1] = random.choice([[" ".join(line)], [" ".join(line)], [], [garbled[place]] * 2])
        try:
            run_stdio_bot(game, "random", told(setup), 0, garbled, lambda reply: None)
        except LapilliError as refusal:
            refusals.append(str(refusal))
    assert len(refusals) > GARBLED // 2
    assert not [refusal for refusal in refusals if "\n" in refusal]


def some_inputs(game: Game, setup: Setup) -> list[str]:
    """The lines that one of a match's players is sent on its first turns."""
    sent: dict[int, list[str]] = {}

    def look(state: State, player: int) -> None:
        text = game.protocol.input_for(state, player, player not in sent)
        sent.setdefault(player, []).append(text)

    along_a_match(game, game.new_initial_state(setup), look, TURNS)
    return "".join(sent[min(sent)]).splitlines()


def test_without_the_compiler_it_is_the_same() -> None:
    program = """
from lapilli.games import load, names
from lapilli.core.api import Setup
from lapilli.players.engines.stdio_bot import run_stdio_bot
for game in map(load, names()):
    for variant in game.variants or (None,):
        state = game.new_initial_state(seed=3, variant=variant)
        text = game.protocol.input_for(state, state.asked()[0], first=True)
        run_stdio_bot(game, "random", Setup(), 3, text.splitlines(), lambda reply: print(game.name, variant, reply))
"""
    printed = printed_either_way(program)
    assert set(names()) <= set(printed.split())


@pytest.mark.parametrize("game", GAMES)
def test_what_a_game_has_not_is_refused_before_anything_is_read(game: Game) -> None:
    for setup in (Setup(league="no such"), Setup(variant="no such"), Setup(own={"no such": 1})):
        with pytest.raises(UnknownName):
            game.protocol.reader(game, setup)
    with pytest.raises(UnknownName, match="no built-in opponent 'level99'"):
        run_stdio_bot(game, "level99", Setup(), 0, some_inputs(game, game.complete(Setup(seed=1))), pytest.fail)


def test_lines_are_counted_and_shortened() -> None:
    lines = InputLines(["1 2\r\n", "x" * 500, "7"])
    assert lines.numbers("two", 2, 0, 9) == [1, 2]
    with pytest.raises(InputError, match=r"^line 2 of the input: expected two, not 'x+…'$"):
        lines.words("two", 2)
    with pytest.raises(InputError, match=r"^line 3 of the input: expected the number of cats from 8 to 9, not '7'$"):
        lines.number_of("cats", 8, 9)
    with pytest.raises(EOFError):
        lines.line()
