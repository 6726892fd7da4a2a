"""Reads and writes files of records: saves them completely or not at all, compresses them, refuses endless files."""
