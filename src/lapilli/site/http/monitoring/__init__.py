"""What the operator of a site sees of its requests: the log, the metrics, and the middleware that counts requests."""
