"""Calls functions in worker processes, on this machine or on a Ray cluster. Arena, environments and site use it."""
