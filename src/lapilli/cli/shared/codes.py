"""Exit codes of commands."""

from __future__ import annotations

FAILED = 1
"""The output could not be written. `verify` and `compare` also end with it, if a record or a bot does not pass."""
REFUSED = 2
"""The command line, a file or a setup is wrong; one line on stderr says what."""
ABANDONED = 3
"""The match or event was ended by an error of Lapilli or of the machine."""
FAULTED = 4
"""With --strict: a player had a fault."""
INTERRUPTED = 130
"""The user stopped the command, for example with Ctrl-C. Shells use this code."""
