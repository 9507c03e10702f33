"""One line where a command needs torch and there is none."""

from __future__ import annotations

from importlib.util import find_spec

from seprank.errors import InvalidInput


def need_torch(command: str) -> None:
    """Raise `InvalidInput` without torch, before anything is computed."""
    try:
        missing = find_spec("torch") is None
    except ValueError:  # a name in sys.modules without a spec
        missing = True
    if missing:
        raise InvalidInput(
            f"{command} needs torch, got an environment without it: pip install 'seprank[torch]'"
        ) from None
