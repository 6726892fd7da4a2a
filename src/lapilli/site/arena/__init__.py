"""The live page of the arena: pages of events that follow the store. They only read."""
