"""A process that waits for calls of `lapilli referee`, so that a tool's thousands of matches load the program once.

socket_path     path of its socket, which depends on the user and the environment (`socket_path.py`)
client          passes a call to it, or starts it for the next call (`client.py`)
server          answers calls, each in its own process, and ends when no more calls come (`server.py`)
"""
