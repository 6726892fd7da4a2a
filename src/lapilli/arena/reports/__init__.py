"""Reports of results: verdicts, standings, cross tables, exports."""
