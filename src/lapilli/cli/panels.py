"""What the commands are grouped by in `lapilli --help`: what people want to do."""

from __future__ import annotations

PLAY = "Play"
LOOK = "Look at matches"
COMPETE = "Compare and compete"
BOTS = "Write a bot"
TOOLS = "Tools"
ORDER = (PLAY, LOOK, COMPETE, BOTS, TOOLS)
