"""Figures: records of a results store, or a fit, as pictures. Nothing is computed here; every function gives a Figure.

Each figure is one function in a file of its own that returns a `matplotlib.figure.Figure` with a caption saying which
values are exact, bounds or estimates; `seprank.plots.canvas` holds the sheet, the colours and the writing of files.
"""
