"""Many games at once: batches on threads or a GPU, the interfaces that learners know, policies learned by self-play."""
