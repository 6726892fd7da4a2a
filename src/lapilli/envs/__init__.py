"""Many games at once: batches on CPU threads or a GPU, adapters for RL libraries, policies trained by self-play."""
