"""Training of policies: a search plays matches against itself, and its policy is trained on them."""
