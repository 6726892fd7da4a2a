"""The contract between games and everything above them: Game, State, Setup, Protocol, Outcome, errors."""
