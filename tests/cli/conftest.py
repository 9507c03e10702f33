"""Ways to run a command in process, shared by the tests of several commands."""

import pytest

from seprank.cli.main import run


@pytest.fixture
def succeeds(capsys):
    """Runs a seprank command, which must succeed with nothing on stderr; returns what it prints."""

    def call(command, line):
        code = run([command, *line.split()])
        streams = capsys.readouterr()
        assert (code, streams.err) == (0, "")
        return streams.out

    return call


@pytest.fixture
def is_refused(capsys):
    """Runs a seprank command, which must print one line on stderr only; returns the exit code and the line."""

    def call(command, line):
        code = run([command, *line.split()])
        streams = capsys.readouterr()
        assert streams.out == ""
        assert streams.err.startswith("seprank: ")
        assert streams.err.count("\n") == 1
        return code, streams.err.removeprefix("seprank: ").rstrip("\n")

    return call
