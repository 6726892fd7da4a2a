"""What commands share: options, console, signals, exit codes."""
