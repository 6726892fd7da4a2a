"""Processes of bots: how they are started, measured, paused and ended with all that they started."""
