"""The rules of Volcano with pyramids as compiled kernels: a position's record, verbs, whole turns, observations."""
