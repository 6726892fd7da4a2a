"""Connections: the socket, uvicorn's server, and protocol classes with limits on time and size."""
