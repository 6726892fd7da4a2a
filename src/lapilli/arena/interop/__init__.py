"""Converts records to and from the formats of other tools: brutaltester, cgarena, psyleague and CodinGame's SDK."""
