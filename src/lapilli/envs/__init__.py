"""Environments for learning: batches, single environments for other libraries, training."""
