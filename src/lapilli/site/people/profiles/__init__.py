"""Profiles of members, leaderboards, and the download of all data of an account."""
