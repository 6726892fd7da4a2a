"""Asks the engines and bots at live tables for their replies."""
