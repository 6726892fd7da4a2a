"""Who sends a request: a visitor with a cookie, a guest, a member, or a program with a token; and what names may be."""
