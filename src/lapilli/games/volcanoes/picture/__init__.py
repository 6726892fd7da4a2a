"""Draws positions as shapes and as terminal lines, makes the pictures of a turn, and lists the tiles that people can
click."""
