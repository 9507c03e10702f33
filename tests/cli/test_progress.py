"""The progress bar: on a terminal, after a second, and gone when the work is done."""

import io
import sys
import threading

import pytest

from seprank.cli import progress
from seprank.cli.progress import announce, duration, progress_bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    """Makes stderr a terminal; called in the test itself, since pytest sets stderr anew before each."""

    def install():
        stream = Terminal()
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "100")
        return stream

    return install


def wait_until_shown(stream, text):
    for _ in range(600):
        if text in stream.getvalue():
            return
        threading.Event().wait(0.05)
    raise AssertionError(f"{text!r} was not shown")


@pytest.mark.parametrize("stream", [io.StringIO(), None])
def test_nothing_without_a_terminal(monkeypatch, stream):
    monkeypatch.setattr(sys, "stderr", stream)
    with progress_bar("working") as move:
        assert move is None
    assert stream is None or stream.getvalue() == ""


def test_nothing_for_quick_work(terminal):
    stream = terminal()
    with progress_bar("working") as move:
        move(1, 2)
        move(2, 2)
    assert stream.getvalue() == ""


def test_a_bar_for_longer_work_that_disappears(terminal, monkeypatch):
    monkeypatch.setattr(progress, "DELAY", 0.0)
    stream = terminal()
    with progress_bar("working", "finishing") as move:
        move(1, 4)
        wait_until_shown(stream, "working")
        wait_until_shown(stream, "25%")
        move(4, 4)
        wait_until_shown(stream, "finishing")
    assert stream.getvalue().endswith(("\x1b[2K", "\x1b[?25h"))  # the line is erased, the cursor is back


def test_the_bar_is_gone_after_an_error(terminal, monkeypatch):
    monkeypatch.setattr(progress, "DELAY", 0.0)
    stream = terminal()

    def work():
        with progress_bar("working") as move:
            move(0, 0)
            wait_until_shown(stream, "working")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert stream.getvalue().endswith(("\x1b[2K", "\x1b[?25h"))
    assert not [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (61, "1 min"),
        (600, "10 min"),
        (5400, "1.5 h"),
        (3 * 86400, "3 days"),
        (40 * 86400, "40 days"),
        (3e9, "95 years"),
        (1e30, "3e+22 years"),
    ],
)
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_only_long_work_is_announced(capsys):
    announce(60)
    assert capsys.readouterr().err == ""
    announce(7200)
    streams = capsys.readouterr()
    assert (streams.out, streams.err) == ("", "seprank: this will take about 2 h\n")
