"""Formats of other tools (brutaltester, cgarena, psyleague, CodinGame's SDK), one file each: made from records, and
read back into records."""
