"""Mails about correspondence matches, where the site has a mail server."""
