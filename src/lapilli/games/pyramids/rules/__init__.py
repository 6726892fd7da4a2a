"""The rules as kernels: the record of a position, the verbs, whole turns, observations."""
