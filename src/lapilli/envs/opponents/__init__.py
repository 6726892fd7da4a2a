"""Batches in which built-in opponents or past selves play for all players but one."""
