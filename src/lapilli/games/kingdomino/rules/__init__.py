"""The rules of Kingdomino as compiled functions: the record of a position, legal and played actions, observations."""
