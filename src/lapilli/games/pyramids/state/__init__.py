"""Positions of Volcano as State objects, their notation as text, and the start layouts."""
