"""Which files belong to a bot, the hash that identifies its version, and its copy on another machine."""
