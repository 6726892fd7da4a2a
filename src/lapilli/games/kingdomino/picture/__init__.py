"""Draws positions as shapes and as terminal lines, makes the moments of a turn, and lists what people can click."""
