"""Parts of a batch: the kernels of its steps, the team of threads that runs them, and the checks of its arguments."""
