"""The arena's part of the store: events, the matches that they consist of, claims of matches, and leagues."""
