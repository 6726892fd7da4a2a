"""Identity: the person or program that sends a request, their role, and rules for names."""
