"""Statements of the paper on signal propagation and rank collapse at initialisation."""
