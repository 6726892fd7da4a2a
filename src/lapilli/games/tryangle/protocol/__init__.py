"""The protocol: writes the input of bots, reads it back, and plays their replies."""
