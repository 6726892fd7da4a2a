"""The protocol of Volcano: writes the input of bots, converts this input back to positions, and plays the bots'
replies."""
