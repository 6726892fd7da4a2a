"""People of the site: who they are, accounts, profiles, the lobby where they find opponents, and mails to them."""
