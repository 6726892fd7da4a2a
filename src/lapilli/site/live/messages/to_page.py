"""Messages from the server to a table's pages: the subclasses of `ToPage`, and the structs in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

PictureData = dict[str, Any]
"""A picture, or the difference between two pictures, in the format of `lapilli.viewer.films.frames`."""
LogLine = tuple[int, int, str]
"""A player's turn in words, as a tuple: number of the turn, player, and text. For a turn in which no player is asked,
the player is -1.
"""


class ToPage(msgspec.Struct, tag_field="type", rename="camel"):
    """Base class of all messages to a page."""


class Hello(ToPage, tag="hello"):
    """The whole table: the first message to a page. It is sent again after some changes, for example of the seats.

    Attributes:
        look: the data that all pictures of the match have in common, in the format of a film.
        frame: the complete picture of the current position.
        log: all turns in words.
        seat: the page's player number; None for a page that only watches.
    """

    look: dict[str, Any]
    frame: PictureData
    log: Sequence[LogLine]
    seat: int | None


class NewFrames(ToPage, tag="step"):
    """The pictures of a turn that was just played.

    Attributes:
        turn: number of the turn.
        frames: the pictures, each as its difference from the picture before it.
        log: the turn in words.
    """

    turn: int
    frames: Sequence[PictureData]
    log: Sequence[LogLine]


class ShownOutcome(msgspec.Struct, frozen=True):
    """The outcome of a match.

    Attributes:
        words: the result in one sentence, for the player of the page that receives it.
        reason: why the match ended, in words.
        ranks: rank of each player, from 1; None if nobody is ranked.
    """

    words: str
    reason: str
    ranks: Sequence[int] | None


class ShownNote(msgspec.Struct, frozen=True):
    """A remark about the position for a player who is new to the game.

    Attributes:
        name: name of the rule or situation that the note explains, such as "eruption".
        text: the note.
        places: keys of the shapes that the note is about.
    """

    name: str
    text: str
    places: Sequence[str]


class ShownDraft(msgspec.Struct, frozen=True):
    """A player's draft, which only that player may see.

    Attributes:
        frame: the picture of the position after the chosen actions, as its difference from the match's last picture;
            None while no action is chosen.
        choices: the actions that may be chosen next, each in the format of `Choice.to_json`.
        undoable: whether an action is chosen, so that it can be removed.
        complete: whether the turn can be played.
        labels: the chosen actions in words.
        prompt: what is to be chosen next, in words; "" if the turn is complete.
        way: keys of the shapes that a person clicks to choose the last action; empty while the draft is not complete.
        notes: remarks for a player who is new to the game, the most urgent first; empty once an action is chosen, and
            in rated matches.
    """

    frame: PictureData | None
    choices: Sequence[Sequence[Any]]
    undoable: bool
    complete: bool
    labels: Sequence[str]
    prompt: str
    way: Sequence[str]
    notes: Sequence[ShownNote]


class ShownPlan(msgspec.Struct, frozen=True):
    """A turn that the page's player has planned.

    Attributes:
        reply: the reply of the opponent. If the opponent plays it, the planned turn is played.
        words: the opponent's reply and the planned turn, in words.
    """

    reply: str
    words: str


class TableStatus(ToPage, tag="now"):
    """The table's status, with only what the page's player may know.

    Attributes:
        turn: number of the current turn; 0 when the match is over.
        asked: players who must still answer in this turn; empty while seats are open.
        answered: players who have answered already in this turn.
        engines: players that are engines or bots.
        clocks: time left of each player, in milliseconds; None for players without a clock.
        running: players whose clocks are running.
        queue: position in the queue of each bot that waits for a worker process, by player.
        compiled: share of the kernels compiled so far, in percent, of each engine that waits for its kernels, by
            player.
        open: players whose seats are open.
        links: secrets in the links to open seats, by player; empty for a page that only watches.
        cancels: whether the page's player may cancel the table, because it is their own and waits for an opponent.
        outcome: the outcome of the match; None until the match is over.
        resigning: whether the page's player has resigned.
        draws: players who offer a draw or agree to one.
        peers: whether the page's player may resign or offer a draw, because all players are people or programs.
        rated: whether the match changes the players' ratings.
        ratings: the change of each rated player's rating by the match, in words; empty until the match is over, and
            for a match that does not change ratings.
        rematch: id of the rematch's table; "" if no rematch was requested.
        tournament: id of the tournament to which the match belongs; "" for none.
        helps: whether the page's player may take turns back.
        hints: whether the page's player may ask for a hint.
        took_turns: whether the page's player has answered before in this match.
        away: players who have closed the table's page.
        vacation: players whose turn it is, and who are on vacation.
        days: number of days for each turn of a correspondence match; 0 for other matches.
        watching: number of people who only watch.
        plans: whether the page's player may plan a turn now.
        planning: the part of a planned turn that the player is choosing in `draft`: "if" for the opponent's turn,
            "then" for the player's own turn; "" if the player plans nothing.
        planned: the turns that the page's player has planned.
        draft: the draft of the page's player; missing if that player need not answer now, and plans nothing.
    """

    turn: int
    asked: Sequence[int]
    answered: Sequence[int]
    engines: Sequence[int]
    clocks: Sequence[int | None]
    running: Sequence[int]
    queue: Mapping[int, int]
    compiled: Mapping[int, int]
    open: Sequence[int]
    links: Mapping[int, str]
    cancels: bool
    outcome: ShownOutcome | None
    resigning: bool
    draws: Sequence[int]
    peers: bool
    rated: bool
    ratings: Mapping[int, str]
    rematch: str
    tournament: str
    helps: bool
    hints: bool
    took_turns: bool
    away: Sequence[int]
    vacation: Sequence[int]
    days: int
    watching: int
    plans: bool
    planning: str
    planned: Sequence[ShownPlan]
    draft: ShownDraft | msgspec.UnsetType = msgspec.UNSET


class Compiling(ToPage, tag="compiling"):
    """Report that the game's kernels are being compiled. When they are ready, a `Hello` with the whole table follows.

    Attributes:
        share: how much is compiled, in percent.
        links: secrets in the links to open seats, by player; empty for a page that only watches. They are sent already
            now, so that a person can invite somebody before everything is compiled.
        cancels: whether the page's player may cancel the table, because it is their own and waits for an opponent.
    """

    share: int
    links: Mapping[int, str]
    cancels: bool


class HintSearch(ToPage, tag="hinting"):
    """Report that an engine looks for a hint.

    Attributes:
        share: how much of the engine is compiled, in percent; None when all of it is compiled.
    """

    share: int | None


class HintStep(msgspec.Struct, frozen=True):
    """An action of a hint.

    Attributes:
        label: the action in words.
        way: keys of the shapes to click for the action, in order.
    """

    label: str
    way: Sequence[str]


class FoundHint(ToPage, tag="hint"):
    """A hint: the turn that an engine would play.

    Attributes:
        turn: number of the turn to which the hint applies.
        steps: the actions of the turn that are still to be chosen, in order.
    """

    turn: int
    steps: Sequence[HintStep]


class ShownLine(msgspec.Struct, frozen=True):
    """A chat line that somebody has written at the table.

    Attributes:
        id: id of the line. Later lines have larger ids.
        who: string that identifies the writer: it is the same for all lines of one writer, at all tables.
        name: the writer's name.
        player: the writer's player number; None for a person who watches.
        own: whether the page's person has written it.
        text: the line.
    """

    id: int
    who: str
    name: str
    player: int | None
    own: bool
    text: str


class ChatLines(ToPage, tag="chat"):
    """Chat lines of the page's room: the room of the players, or the room of the people who watch.

    Attributes:
        whole: whether these are all lines; otherwise, they follow those that the page has.
        lines: the lines, the oldest first.
        phrases: lines that the page's person may write by one click.
        writes: whether the page's person may also write other lines.
        on: whether the site has a chat.
    """

    whole: bool
    lines: Sequence[ShownLine]
    phrases: Sequence[str]
    writes: bool
    on: bool


class Refusal(ToPage, tag="refused"):
    """Report that the page's last message was refused.

    Attributes:
        text: the reason, in words for the person.
    """

    text: str


class SiteTrouble(ToPage, tag="problem"):
    """Report of an error of the site.

    Attributes:
        text: the error message, and what the person can do, in words for the person.
    """

    text: str
