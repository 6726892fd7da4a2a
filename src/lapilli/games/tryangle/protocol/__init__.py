"""The protocol of TryAngle: writes the input of bots, reads it back into positions, and plays the bots' replies."""
