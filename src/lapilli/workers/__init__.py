"""Worker processes: code that arena, environments and site share."""
