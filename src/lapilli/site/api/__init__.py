"""The HTTP API, for programs: docs/api.md says what it is for."""
