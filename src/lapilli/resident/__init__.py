"""A process that waits for calls of `lapilli referee`, so that a tool's thousands of matches load the program once.

socket_path     where it listens, and what a process must have in common with it (`socket_path.py`)
client          hands a call over to it, or starts it for the next call (`client.py`)
server          answers calls, each in a process of its own, and ends when none comes (`server.py`)
"""
