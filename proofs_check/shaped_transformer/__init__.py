"""Statements of the paper on the Shaped Transformer, and the questions its reviewers asked."""
