"""The rules of TryAngle as compiled kernels: the record of a position, the verbs, the geometry of maps,
observations."""
