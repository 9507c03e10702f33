"""Hypothesis draws the same examples in every run of this folder."""

from hypothesis import settings

settings.register_profile("closed_forms", derandomize=True, deadline=None, database=None)
settings.load_profile("closed_forms")
