"""Batches in which built-in opponents play for all players but one."""
