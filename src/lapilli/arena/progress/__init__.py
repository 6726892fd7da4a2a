"""The progress of an event: which matches to play next, how their results are counted, and when the event ends."""
