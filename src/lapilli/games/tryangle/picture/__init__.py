"""Pictures of TryAngle: draws positions as shapes and as terminal lines, draws one picture for each stage of a turn,
and lists the legal actions as clicks."""
