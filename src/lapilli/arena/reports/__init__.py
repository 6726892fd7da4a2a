"""Results for people: verdicts, standings, cross tables, exports."""
