"""Tables at which people play: seats, clocks, and the messages to and from their pages."""
