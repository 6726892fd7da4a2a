"""Lapilli: play, write bots for and train on four tactical board games."""
