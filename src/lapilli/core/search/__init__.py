"""What games know about searches: engines that are kernels, learned policies, results of searches, and mistakes."""
