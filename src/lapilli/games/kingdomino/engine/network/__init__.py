"""The neural networks that predict the final points of a territory: their inputs, their weights, and their output."""
