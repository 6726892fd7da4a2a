"""Play at the site's tables: seeks, tables with their matches, and what people write there."""
