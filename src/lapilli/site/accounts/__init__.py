"""Who has an account: signing in, inviting, leaving."""
