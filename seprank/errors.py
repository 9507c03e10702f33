"""The errors that seprank raises on purpose, each with the exit code that the command line gives it.

A message is one line that names the argument, the rule and the value, for example
``prime must be a prime at most 2147483647, got 6``.
"""


class SeprankError(Exception):
    """Base class. ``exit_code`` is what a command that ends with this error returns."""

    exit_code = 1


class InvalidInput(SeprankError, ValueError):
    """An argument, option or file breaks a stated rule."""

    exit_code = 2


class OutOfScope(SeprankError, ValueError):
    """The input is well formed, but no theorem of the toolkit covers this case."""

    exit_code = 2


class TooLarge(SeprankError):
    """The job cannot fit in memory or time; the message holds the estimate and what would make it fit."""

    exit_code = 3


class CheckFailed(SeprankError):
    """A certificate claims something that the independent check does not confirm."""

    exit_code = 1
