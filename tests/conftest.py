"""Hypothesis draws the same examples in every run, and times nothing; interrupts work in every surrounding."""

import signal

from hypothesis import HealthCheck, settings

settings.register_profile(
    "seprank", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("seprank")

# A shell starts background jobs with interrupts ignored, and every process under them inherits that.
signal.signal(signal.SIGINT, signal.default_int_handler)
