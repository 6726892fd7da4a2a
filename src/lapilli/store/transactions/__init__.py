"""Transactions of a store: signals wait until a transaction is over, and the threads of a process write in turn."""
