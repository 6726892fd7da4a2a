"""Processes of bots: how they are started, measured, frozen and ended with all their descendants."""
