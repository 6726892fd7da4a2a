"""Tuning: changes the parameters of a bot until it plays better, and confirms that by a comparison."""
