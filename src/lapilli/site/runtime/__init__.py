"""What a process of the site runs on: shared objects, settings, tasks, the compiler of kernels, garbage collection."""
