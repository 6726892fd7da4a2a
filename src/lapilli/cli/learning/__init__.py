"""Commands that play many matches with a search: to train its policy, to make data sets, and to measure players."""
