"""The site: people play in the browser, against engines and each other. `lapilli.site.server` serves it."""
