"""The sandbox: bubblewrap, forbidden system calls, visible files."""
