"""The rules of Volcano as compiled kernels: the record of a position, the verbs, whole turns, observations."""
