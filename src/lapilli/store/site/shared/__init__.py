"""Coordination of a site's processes: drivers of tables, notifications, a lock, and a check that the store works."""
