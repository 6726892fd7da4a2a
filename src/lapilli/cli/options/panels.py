"""Titles of the panels in which `lapilli --help` groups the commands, by what people want to do."""

from __future__ import annotations

PLAY = "Play"
LOOK = "Look at matches"
COMPETE = "Compare and compete"
BOTS = "Write a bot"
TOOLS = "Tools"
ORDER = (PLAY, LOOK, COMPETE, BOTS, TOOLS)
