"""Exit codes beside the usual ones: 1 for what went wrong with the output, 2 for what did with the command line."""

from __future__ import annotations

ABANDONED = 3
"""What our own or the machine's trouble ended."""
FAULTED = 4
"""With --strict, a match in which a player was at fault."""
