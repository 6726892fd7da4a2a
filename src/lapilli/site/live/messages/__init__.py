"""Messages between a table's pages and the server, in JSON over a WebSocket."""
