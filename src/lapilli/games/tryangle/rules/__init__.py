"""The rules as kernels: the record of a position, the verbs, the geometry of maps, observations."""
