"""The HTTP API for programs; docs/api.md explains its use."""
