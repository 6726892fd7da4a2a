"""Accounts: signing in, sessions, invitations, and deletion."""
