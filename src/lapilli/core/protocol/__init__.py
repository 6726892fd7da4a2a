"""What referees and bots of a game write and read: the protocol, its defaults, and the text that bots receive."""
