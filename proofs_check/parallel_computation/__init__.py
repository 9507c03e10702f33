"""Statements of the paper on transformers, parallel computation and logarithmic depth."""
