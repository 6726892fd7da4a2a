"""Matches of events: who plays, in this process, on this machine's cores or on a cluster."""
