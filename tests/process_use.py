"""Measures what a process has used, from Linux's folder /proc. For benchmarks whose servers are processes."""

from __future__ import annotations

import os
from pathlib import Path


class ProcessUse:
    """What a process has used so far.

    Args:
        pid: id of the process; "self" for this one.
    """

    def __init__(self, pid: int | str) -> None:
        self._folder = Path(f"/proc/{pid}")

    def cpu_s(self) -> float:
        """Processor time, in seconds."""
        fields = (self._folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def waited_s(self) -> float:
        """Time for which its main thread waited for a processor, in seconds."""
        return int((self._folder / "schedstat").read_text(encoding="utf-8").split()[1]) / 1e9

    def memory_kb(self, name: str = "VmRSS") -> int:
        """Memory, in kB; with the name "VmHWM", the most that it ever had."""
        lines = (self._folder / "status").read_text(encoding="utf-8").splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith(name)))
