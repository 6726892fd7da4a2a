"""The contract between games and everything built on them: Game, State, Setup, Protocol, Outcome, errors."""
