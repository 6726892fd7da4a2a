"""Exit codes of commands."""

from __future__ import annotations

FAILED = 1
"""Exit code for a negative result: a record contradicts the rules, a test failed, or a bot is not better."""
REFUSED = 2
"""Exit code if the command line, a file or a setup is wrong. One line on stderr describes the error."""
ABANDONED = 3
"""Exit code if a match or an event ended without a result: Lapilli or this machine had an error, or was too busy."""
FAULTED = 4
"""Exit code of `match --strict` if a player had a fault."""
UNDECIDED = 4
"""Exit code of `compare` and `tune` if the matches did not decide which bot is better."""
UNWRITABLE = 74
"""Exit code if the output could not be written: EX_IOERR of the operating system."""
INTERRUPTED = 130
"""Exit code if the user stopped the command, for example with Ctrl-C. Shells use the same code."""
