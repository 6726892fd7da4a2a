"""Mails about matches over days, where the site has a mail server."""
