"""The workshop: a queue and worker processes that build, play, compare and rate the bots of the site's users."""
