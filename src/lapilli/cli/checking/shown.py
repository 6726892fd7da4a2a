"""Checks of what people see and play with: pictures, words, opponents, the rules page, the starter bot."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from lapilli.cli.checking.subject import CheckFailed, CheckSkipped, Subject, must, replies_of
from lapilli.core.api import State
from lapilli.core.picture.choices import WORD, unclear
from lapilli.core.picture.notes import no_notes
from lapilli.core.picture.scene import Scene
from lapilli.core.picture.words import quantity
from lapilli.core.reading.text import quoted
from lapilli.core.search.mistake import no_reason
from lapilli.match import play_match
from lapilli.match.reasons import reason_of
from lapilli.players import builtin_names
from lapilli.players.bots.starters import LANGUAGES, write_starter
from lapilli.viewer.drawing.svg import svg

_WIDEST = 100
"""Greatest number of characters of a line in a terminal."""
_LONGEST_NOTE = 160
"""Greatest length of a note, in characters: about four lines on a phone."""
_LONGEST_REASON = 140
"""Greatest length of a reason, in characters."""
_SENTENCE = f"write one sentence of at most {_LONGEST_REASON} characters, with a full stop"
_DRAWN = 12
"""In each match, this many turns are drawn from the beginning, and afterwards every _DRAWN-th turn."""


def check_pictures(subject: Subject) -> str:
    """Checks that positions, and the changes of a turn, can be drawn as pictures and shown in a terminal.

    `subject`: the game, with random matches of it. Returns in a few words what was tested. Raises CheckFailed if the
    game does not pass.
    """
    count = 0
    for state, _ in subject.turns():
        if state.turn > _DRAWN and state.turn % _DRAWN and not state.is_terminal():
            continue
        step = subject.last_step
        for moment in state.game.pictures(state, step):
            _check_scene(moment.scene)
        drawn = svg(state.game.picture(state, step), state.game.sides)
        must(drawn.startswith("<svg"), "a position cannot be drawn", "correct Game.scene")
        lines = ["".join(text for text, _ in line) for line in state.game.text(state, step)]
        longest = max(map(len, lines), default=0)
        must(longest <= _WIDEST, f"a line for the terminal has {longest} characters", f"write at most {_WIDEST}")
        count += 1
    return quantity(count, "picture")


def _check_scene(scene: Scene) -> None:
    keys = Counter(shape.key for shape in scene.in_order())
    twice = next((key for key, number in keys.items() if number > 1), None)
    must(twice is None, f"two shapes of a picture have the key {twice!r}", "give each shape a key of its own")
    must(scene.width > 0 and scene.height > 0, "a picture has no size", "pass a width and a height to Scene")


def check_choices(subject: Subject) -> str:
    """Checks that a person can choose every legal action by clicks on shapes in the picture, or on words.

    `subject`: the game, with random matches of it. Returns in a few words what was tested. Raises CheckFailed if the
    game does not pass.
    """
    count = 0
    for state in subject.positions():
        if state.is_terminal():
            continue
        keys = {shape.key for shape in state.game.picture(state, None).in_order()}
        for player in state.asked():
            count += _check_chosen(state, player, keys)
    return quantity(count, "choice")


def _check_chosen(state: State, player: int, keys: set[str]) -> int:
    """Returns the number of a player's choices: the ways in which a person chooses an action by clicks or words.

    Raises CheckFailed if the choices do not fit the legal actions, the labels or the picture. `keys`: keys of the
    shapes in the picture.
    """
    choices = state.game.choices(state, player)
    must(
        sorted(choice.action for choice in choices) == state.legal_actions(player),
        f"the choices of player {player} are not its legal actions",
        "return one Choice for each legal action from Game.choices",
    )
    must(not unclear(choices), "the same clicks choose two actions", "let the clicks of each choice differ")
    labels = {choice.label for choice in choices}
    must(
        "" not in labels and len(labels) == len(choices), "two choices have the same label", "tell them apart in words"
    )
    clicked = {click for choice in choices for click in choice.way if not click.startswith(WORD)}
    missing = sorted(clicked - keys)
    must(
        not missing, f"a choice is a click on {missing[:1]}, which is not in the picture", "draw a shape with this key"
    )
    prompt = state.game.prompt(state, player)
    must(prompt[:1].islower(), f"the prompt {prompt!r} does not continue 'Your turn:'", "begin with a small letter")
    return len(choices)


def check_notes(subject: Subject) -> str:
    """Checks that notes for beginners are short, and refer to places that are in the picture.

    `subject`: the game, with random matches of it. Returns in a few words what was tested. Raises CheckFailed if the
    game does not pass, and CheckSkipped if the game lacks this optional part.
    """
    if subject.game.notes is no_notes:
        raise CheckSkipped("none: Game.notes is optional")
    names = set[str]()
    for state, replies in subject.turns():
        scene = state.game.picture(state, None)
        keys = {shape.key for shape in scene.shapes} | set(scene.anchors)
        for player in replies:
            notes = state.game.notes(state, player)
            must(len({note.name for note in notes}) == len(notes), "two notes have the same name", "show one of them")
            for note in notes:
                names.add(note.name)
                must(
                    len(note.text) <= _LONGEST_NOTE and note.text.endswith("."),
                    f"the note {note.name!r} has over {_LONGEST_NOTE} characters, or no full stop at its end",
                    "write one or two short sentences",
                )
                missing = sorted(set(note.places) - keys)
                must(not missing, f"the note {note.name!r} names {missing[:1]}", "name shapes that are in the picture")
    return quantity(len(names), "note")


def check_reasons(subject: Subject) -> str:
    """Checks that the game's reasons why one turn is worse than another are short sentences.

    `subject`: the game, with random matches of it. Returns in a few words what was tested. Raises CheckFailed if the
    game does not pass, and CheckSkipped if the game lacks this optional part.
    """
    if subject.game.reason is no_reason:
        raise CheckSkipped("none: Game.reason is optional")
    reasons = set[str]()
    for state, _ in subject.turns():
        if subject.last_step is None:
            continue
        for player, better in replies_of(subject.last_step.before, Random(state.turn)).items():
            if reason := reason_of(subject.last_step, state, player, better):
                is_sentence = reason[0].isupper() and reason.endswith(".")
                must(is_sentence and len(reason) <= _LONGEST_REASON, f"a reason is {quoted(reason, 200)}", _SENTENCE)
                reasons.add(reason)
    return quantity(len(reasons), "reason")


def check_opponents(subject: Subject) -> str:
    """Checks that each built-in opponent plays a match without a fault. Searches play with a limit of a few nodes.

    `subject`: the game, with random matches of it. Returns in a few words what was tested. Raises CheckFailed if the
    game does not pass, and CheckSkipped if the game lacks this optional part.
    """
    game = subject.game
    opponents = [*builtin_names(game)[1:], *(f"{search}:nodes=4" for search in game.searches)]
    if not opponents:
        raise CheckSkipped("only random: Game.engines and Game.searches are optional")
    seats = game.players[0]
    for number, opponent in enumerate(opponents):
        subject.seed_now, subject.place = subject.seed, opponent
        subject.show(opponent)
        players = ["random"] * seats
        players[number % seats] = opponent
        record = play_match(game, players, seed=subject.seed)
        faults = [entry.fault.reason for entry in record.turns if entry.fault]
        must(not faults, f"{opponent} has a fault: {faults and faults[0]}", "let it return a whole legal turn")
    return ", ".join(opponents)


def check_rules_page(subject: Subject) -> str:
    """Checks that the rules page begins with a heading.

    `subject`: the game, with random matches of it. Returns in a few words what was tested. Raises CheckFailed if the
    game does not pass, and CheckSkipped if the game lacks this optional part.
    """
    if not subject.game.content.joinpath("RULES.md").is_file():
        raise CheckSkipped("none yet: write content/RULES.md")
    page = subject.game.rules_page
    must(page.startswith("# "), "content/RULES.md does not begin with a heading", "begin it with '# ' and the title")
    return quantity(len(page.split()), "word")


def check_starter(subject: Subject) -> str:
    """Checks that the starter bot in Python plays matches without a fault.

    `subject`: the game, with random matches of it. Returns in a few words what was tested. Raises CheckFailed if the
    game does not pass, and CheckSkipped if the game lacks this optional part.
    """
    game = subject.game
    if not game.folder.joinpath("starters", LANGUAGES["python"].file).is_file():
        raise CheckSkipped("none yet: write starters/bot.py, which 'lapilli new' copies")
    subject.seed_now = subject.seed
    with TemporaryDirectory() as folder:
        starter = write_starter(game, "python", Path(folder))
        for form in subject.forms:
            keys = {key: value for key, value in form.to_dict().items() if key != "players"}
            players = [starter.run, *["random"] * ((form.players or 2) - 1)]
            record = play_match(game, players, seed=subject.seed, time_factor=20, **keys)
            for entry in record.turns:
                if entry.player == 0 and entry.fault:
                    raise CheckFailed(
                        f"the starter bot loses: {entry.fault.reason}", "let it play any legal turn in every position"
                    )
    return quantity(len(subject.forms), "match")
