"""Messages that a page may send over its WebSocket. Any other message is refused and changes nothing."""

from __future__ import annotations

import msgspec

from lapilli.core.errors import LapilliError

MAX_MESSAGE = 1024
"""Longest message: in characters here, and in bytes for the WebSocket itself."""


class PageMessage(msgspec.Struct, tag_field="do", forbid_unknown_fields=True):
    """Base of all messages."""


class OfTurn(PageMessage):
    """A message about one turn. It is refused once that turn is over.

    Attributes:
        turn: the referee turn.
    """

    turn: int


class Pick(OfTurn, tag="pick"):
    """Chooses an atomic action.

    Attributes:
        action: its number.
    """

    action: int


class Undo(OfTurn, tag="undo"):
    """Takes back the last action of the draft."""


class Commit(OfTurn, tag="commit"):
    """Plays the draft, which must be complete."""


class Hint(OfTurn, tag="hint"):
    """Asks for the action that an engine would choose."""


class TakeBack(PageMessage, tag="take-back"):
    """Takes back the sender's last turn."""


class Resign(PageMessage, tag="resign"):
    """Resigns."""


class Draw(PageMessage, tag="draw"):
    """Offers a draw, agrees to one, or refuses all offers.

    Attributes:
        agrees: whether the sender offers or agrees; False refuses.
    """

    agrees: bool


class Rematch(PageMessage, tag="rematch"):
    """Asks for a rematch."""


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
