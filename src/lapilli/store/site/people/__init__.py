"""People of the site: their accounts, mail addresses and tokens, failed attempts, and what owners of the site did."""
