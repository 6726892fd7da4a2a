"""Reads what somebody else wrote: numbers, text and arrays that may be wrong, damaged or hostile."""
