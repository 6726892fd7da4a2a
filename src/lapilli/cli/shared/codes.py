"""Exit codes of commands, in addition to the usual ones: 1 for errors of the output, 2 for a wrong command line."""

from __future__ import annotations

ABANDONED = 3
"""The match or run was ended by an error of Lapilli or of the machine."""
FAULTED = 4
"""With --strict: a player had a fault."""
