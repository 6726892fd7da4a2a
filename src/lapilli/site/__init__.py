"""The site: people play in the browser, against engines and each other. `lapilli.web.serving` serves it."""
