"""What the end of a match changes: its stored record, the players' ratings, and the counted first turns."""
