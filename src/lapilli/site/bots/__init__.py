"""Bots of the site's users: the pages where they are written, and the workshop that builds and runs them."""
