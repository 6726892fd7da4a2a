"""A process that waits for calls of `lapilli referee` and `lapilli match`, so that many calls load the program once.

socket_path     path of the process's socket, which depends on the user and the environment (`socket_path.py`)
client          passes a call to the resident process, or starts one for the next call (`client.py`)
server          the resident process: runs each call in a fork, and ends when no more calls come (`server.py`)
"""
