"""The rules as kernels: the record of a position, the verbs, observations."""
