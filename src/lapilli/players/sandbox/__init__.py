"""The sandbox in which bots run: starts bubblewrap, decides which files a bot sees, and forbids system calls."""
