"""Positions of Volcano with pyramids as State objects, their notation as text, and the start layouts."""
