"""Work on all tables beside play: turns of correspondence matches, old tables of guests, and new names of people."""
