"""The protocol of Volcano with pyramids: writes the input of bots, converts this input back to positions, and plays
replies."""
