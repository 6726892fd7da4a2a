"""Commands about the games that there are, and about games of one's own."""
