"""Commands of the site: `site` serves it, `connect` has a bot play on one."""
