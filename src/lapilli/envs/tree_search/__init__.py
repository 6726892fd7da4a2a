"""Tree search for networks: in all environments of a batch at once, with one call of the network per simulation."""
