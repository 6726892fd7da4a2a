"""Learning: trains policies on matches of searches, makes data sets of such matches, and evaluates agents."""
