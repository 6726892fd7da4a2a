"""Pictures of TryAngle: draws positions as shapes and as terminal lines, draws the moments of a turn (one picture per
stage), and lists the legal actions as clicks."""
