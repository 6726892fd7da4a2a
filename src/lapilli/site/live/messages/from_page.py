"""Messages from a table's page to the server. A page may send a `Message`.

Any other text from a page is refused and changes nothing.
"""

from __future__ import annotations

import msgspec

from lapilli.core.errors import LapilliError

MAX_MESSAGE = 1024
"""Length limit of a message from a page. `read` applies it in characters, and the WebSocket in bytes."""


class PageMessage(msgspec.Struct, tag_field="do", forbid_unknown_fields=True):
    """Base class of all messages that a page may send."""


class OfTurn(PageMessage):
    """Base class of messages about one turn. Such a message is refused if that turn is over.

    Attributes:
        turn: number of the turn.
    """

    turn: int


class Pick(OfTurn, tag="pick"):
    """Message that adds an action to the sender's draft.

    Attributes:
        action: the action.
    """

    action: int


class Undo(OfTurn, tag="undo"):
    """Message that removes an action of the sender's draft.

    Attributes:
        step: number of the action in the draft, from 0; None for the last action.
    """

    step: int | None = None


class Commit(OfTurn, tag="commit"):
    """Message that plays the sender's draft, which must be complete."""


class Hint(OfTurn, tag="hint"):
    """Message that requests a hint: the turn that an engine would play."""


class PlanAhead(OfTurn, tag="plan"):
    """Message that begins or ends planning a turn: the sender chooses a turn of the opponent, and a reply to it.

    Attributes:
        begins: True to begin, False to end without a plan.
    """

    begins: bool


class Unplan(PageMessage, tag="unplan"):
    """Message that deletes a planned turn of the sender.

    Attributes:
        reply: the opponent's reply to which it is planned.
    """

    reply: str


class TakeBack(PageMessage, tag="take-back"):
    """Message that takes back the sender's last turn, and all turns after it."""


class Resign(PageMessage, tag="resign"):
    """Message with which the sender resigns."""


class Draw(PageMessage, tag="draw"):
    """Message that offers a draw, agrees to another player's offer, or refuses all offers.

    Attributes:
        agrees: True to offer a draw or agree to an offer, False to refuse all offers.
    """

    agrees: bool


class Rematch(PageMessage, tag="rematch"):
    """Message that requests a rematch: the site creates a new table for it."""


class Say(PageMessage, tag="say"):
    """Message that sends a chat line. Only people in the sender's room see it: the players, or the people who watch.

    Attributes:
        text: the line.
    """

    text: str


class Report(PageMessage, tag="report"):
    """Message that reports a chat line to the owners of the site.

    Attributes:
        line: id of the line.
    """

    line: int


OfDraft = Pick | Undo | Commit | Hint
OfPlan = PlanAhead | Unplan
OfChat = Say | Report
Message = OfDraft | OfPlan | TakeBack | Resign | Draw | Rematch | OfChat
_DECODER: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)


def read(text: str) -> Message:
    """Parses a message from a page. Raises LapilliError if `text` is too long or is not a valid message."""
    if len(text) > MAX_MESSAGE:
        raise LapilliError(f"a message may have at most {MAX_MESSAGE} characters")
    try:
        return _DECODER.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        raise LapilliError("not a valid message") from None
