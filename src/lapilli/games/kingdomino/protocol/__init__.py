"""The protocol of Kingdomino: writes the input of bots, converts this input back to positions, and plays replies."""
