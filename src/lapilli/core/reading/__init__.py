"""Reads untrusted input: numbers, text and arrays that may be wrong, damaged or hostile."""
