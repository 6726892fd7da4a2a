"""Asks engines and bots for their replies at the tables of people."""
