"""The HTTP API for programs, explained in docs/api.md."""
