"""Messages that a page may send over its WebSocket. Any other message is refused and changes nothing."""

from __future__ import annotations

import msgspec

from lapilli.core.errors import LapilliError

MAX_MESSAGE = 1024
"""Longest message: in characters here, and in bytes for the WebSocket itself."""


class PageMessage(msgspec.Struct, tag_field="do", forbid_unknown_fields=True):
    """Base of all messages."""


class OfTurn(PageMessage):
    """Base class of messages about one turn, which are refused when that turn is over.

    Attributes:
        turn: number of the turn.
    """

    turn: int


class Pick(OfTurn, tag="pick"):
    """Adds an action to the draft.

    Attributes:
        action: the action.
    """

    action: int


class Undo(OfTurn, tag="undo"):
    """Removes the last action of the draft."""


class Commit(OfTurn, tag="commit"):
    """Plays the draft, which must be complete."""


class Hint(OfTurn, tag="hint"):
    """Requests a hint: the action that an engine would choose."""


class TakeBack(PageMessage, tag="take-back"):
    """Takes back the sender's last turn, and all turns after it."""


class Resign(PageMessage, tag="resign"):
    """Resigns the match."""


class Draw(PageMessage, tag="draw"):
    """Offers a draw, agrees to one, or refuses all offers.

    Attributes:
        agrees: True to offer or agree, False to refuse.
    """

    agrees: bool


class Rematch(PageMessage, tag="rematch"):
    """Creates the table of a rematch."""


OfDraft = Pick | Undo | Commit | Hint
Message = OfDraft | TakeBack | Resign | Draw | Rematch
_DECODER: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)


def read(text: str) -> Message:
    """Parses a message. Raises LapilliError if it is too long or malformed."""
    if len(text) > MAX_MESSAGE:
        raise LapilliError(f"a message may have {MAX_MESSAGE} characters")
    try:
        return _DECODER.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        raise LapilliError("that is no message of a board's") from None
