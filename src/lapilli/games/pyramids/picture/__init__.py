"""Pictures of Volcano with pyramids: draws positions as shapes and as terminal lines, draws one picture for each event
of a turn, and lists the legal actions as clicks."""
