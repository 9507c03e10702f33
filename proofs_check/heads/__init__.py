"""This project's own statements on several heads, exactness, short inputs and causal masks."""
