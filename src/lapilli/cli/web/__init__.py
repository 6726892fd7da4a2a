"""Commands of the site: `site` serves a site, and `connect` lets a bot on this machine play on a site."""
