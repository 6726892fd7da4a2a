"""A table on the site: a match with its people, clocks, draft and pages."""
