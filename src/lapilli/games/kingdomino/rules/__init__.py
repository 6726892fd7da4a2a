"""The rules of Kingdomino as compiled functions: the record of a position, legal actions, playing, and observations."""
