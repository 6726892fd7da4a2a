"""Bots, which are programs that read and write lines: their processes, clocks, source code and builds."""
