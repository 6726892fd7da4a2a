"""Where bots that people wrote are built, played, compared and rated: a queue, and worker processes of it."""
