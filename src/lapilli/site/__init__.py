"""The site: people play, study and write bots in the browser. `lapilli.site.server` serves it."""
