"""What the processes of a site that share a store need of each other: who drives a table, notifications, and a lock."""
