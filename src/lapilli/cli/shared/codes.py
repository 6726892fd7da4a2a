"""Exit codes of commands."""

from __future__ import annotations

FAILED = 1
"""A negative result: a record contradicts the rules, or a contestant is not better."""
REFUSED = 2
"""The command line, a file or a setup is wrong; one line on stderr says what."""
ABANDONED = 3
"""The match or event was ended by an error of Lapilli or of the machine."""
FAULTED = 4
"""`match --strict`: a player had a fault."""
UNDECIDED = 4
"""`compare`: the matches did not decide who is better."""
UNWRITABLE = 74
"""The output could not be written. The system calls this code EX_IOERR."""
INTERRUPTED = 130
"""The user stopped the command, for example with Ctrl-C. Shells use this code."""
