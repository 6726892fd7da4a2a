"""The protocol of Volcano: writes the input of bots, reads it back into positions, and plays the bots' replies."""
