"""Commands of the site: `site` serves one, and `connect` lets a bot on this machine play on one."""
