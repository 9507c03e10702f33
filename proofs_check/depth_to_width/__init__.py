"""Statements of levine2020depth, "The Depth-to-Width Interplay in Self-Attention"."""
