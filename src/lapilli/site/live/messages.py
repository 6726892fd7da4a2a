"""What a page may say over its WebSocket. Whatever else comes in changes nothing."""

from __future__ import annotations

import msgspec

from lapilli.core.errors import LapilliError

MAX_MESSAGE = 1024
"""Bytes of a message."""


class Said(msgspec.Struct, tag_field="do", forbid_unknown_fields=True):
    """Any message."""


class OfTurn(Said):
    """A message about one turn; that of another one comes too late.

    Attributes:
        turn: the referee turn.
    """

    turn: int


class Pick(OfTurn, tag="pick"):
    """Chooses an atomic action."""

    action: int


class Undo(OfTurn, tag="undo"):
    """Takes back the last action of the draft."""


class Commit(OfTurn, tag="commit"):
    """Plays the draft, which is complete."""


class Hint(OfTurn, tag="hint"):
    """Asks what an engine would do."""


class TakeBack(Said, tag="take-back"):
    """Takes back one's last turn."""


class Resign(Said, tag="resign"):
    """Gives up."""


class Draw(Said, tag="draw"):
    """Offers a draw, or agrees to one; or says no to it."""

    agrees: bool


class Rematch(Said, tag="rematch"):
    """Asks for the same once more."""


OfDraft = Pick | Undo | Commit | Hint
Message = OfDraft | TakeBack | Resign | Draw | Rematch
_DECODER: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)


def read(text: str) -> Message:
    """A message. Raises LapilliError for what is none."""
    if len(text) > MAX_MESSAGE:
        raise LapilliError(f"a message may have {MAX_MESSAGE} characters")
    try:
        return _DECODER.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        raise LapilliError("that is no message of a board's") from None
