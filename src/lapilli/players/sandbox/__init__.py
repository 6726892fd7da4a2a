"""The sandbox: bubblewrap, system calls, visible files."""
