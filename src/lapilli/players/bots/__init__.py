"""Bots: programs that read lines and write lines, their clocks, their source code and how it is built."""
