"""Hypothesis draws the same examples in every run, and times nothing."""

from hypothesis import settings

settings.register_profile("seprank", derandomize=True, deadline=None, database=None)
settings.load_profile("seprank")
