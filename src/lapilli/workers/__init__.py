"""Worker processes: what arena, environments and site share."""
