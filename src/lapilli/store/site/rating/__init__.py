"""The ratings of players at the site's tables, and the results of matches that they are based on."""
