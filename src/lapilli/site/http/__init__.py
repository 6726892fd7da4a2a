"""HTTP: limits, timeouts, headers, forms, errors and logs that apply to all requests."""
