"""The struct of a player's answer to one question."""

from __future__ import annotations

from typing import NamedTuple

from lapilli.core.api import Fault
from lapilli.players.processes.usage import UNKNOWN, Usage


class Answer(NamedTuple):
    r"""A player's answer to one question: the reply or a fault, and the time that it took.

    Attributes:
        reply: the reply; or a Fault if there is no reply, or if the reply is refused. Lines of a reply are separated by
            "\n" (also where the bot wrote "\r\n"), without a "\n" at the end. Bytes that are not UTF-8 become U+FFFD.
            A fault with the termination ABANDONED means that the machine delayed the bot; no player loses.
        milliseconds: time from sending the last byte of the question to receiving the last line of the reply; 0 if the
            reply had arrived before the question was sent. For a fault: the time until the referee noticed it. If a bot
            was still writing surplus lines before the question, the wait until it stopped is included.
        stderr: what the bot wrote to stderr since its last answer: at most the last 4 KiB, with a mark where earlier
            text was cut.
        surplus: number of complete lines that the bot wrote after its previous reply. They were dropped before this
            question was sent.
        usage: CPU time of the bot for this answer, and time for which the bot waited for a processor.
    """

    reply: str | Fault
    milliseconds: float = 0.0
    stderr: str = ""
    surplus: int = 0
    usage: Usage = UNKNOWN
