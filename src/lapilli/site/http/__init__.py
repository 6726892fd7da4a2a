"""HTTP: limits, timeouts, headers, forms, errors and logs of every request."""
