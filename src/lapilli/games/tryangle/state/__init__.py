"""Positions of TryAngle as State objects, their notation as text, and the maps on which games are played."""
