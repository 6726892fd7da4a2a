"""Evaluations of an agent on the scale of a game's levels."""
