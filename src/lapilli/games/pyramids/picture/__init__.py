"""Pictures of Volcano: draws positions as shapes and as terminal lines, draws the moments of a turn (one picture per
event), and lists the legal actions as clicks."""
