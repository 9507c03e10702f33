"""Shared options: what they accept, what they build, and what their messages say."""

import click
import pytest

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.cli.options import (
    WholeNumber,
    architecture_from,
    architecture_options,
    output_options,
    partition_from,
    partition_options,
    threads_option,
)
from seprank.errors import InvalidInput


@click.command()
@architecture_options()
@partition_options()
@threads_option()
@output_options("table", "json")
def everything(L, dx, H, da, residual, N, NA, NB, threads, fmt, output):
    return architecture_from(L, dx, H, da, residual), partition_from(N, NA, NB), threads, fmt, output


def call(line):
    return everything.main(line.split(), standalone_mode=False)


def test_defaults():
    assert call("--L 2 --dx 8") == (Architecture(L=2, dx=8, H=1), None, None, "table", None)


def test_all_options(tmp_path):
    architecture, partition, threads, fmt, output = call(
        f"--L 3 --dx 8 --H 2 --da 5 --residual --NA 2 --NB 7 --threads 4 --format json --output {tmp_path}/x"
    )
    assert architecture == Architecture(L=3, dx=8, H=2, da=5, residual=True)
    assert partition == Partition(2, 7)
    assert (threads, fmt, output) == (4, "json", tmp_path / "x")


@pytest.mark.parametrize("name", ["L", "dx", "H", "da", "NA", "NB", "threads"])
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0", "0"),
        ("-3", "-3"),
        ("1e3", "'1e3'"),
        ("3.5", "'3.5'"),
        ("abc", "'abc'"),
        ("1_000", "'1_000'"),
        ("٣", "'٣'"),
    ],
)
def test_whole_numbers_name_the_option_the_rule_and_the_value(name, text, shown):
    with pytest.raises(InvalidInput, match=f"^{name} must be a whole number at least 1, got {shown}$"):
        call(f"--L 2 --dx 8 --{name}={text}")


def test_an_empty_value_is_no_number():
    with pytest.raises(InvalidInput, match=r"^dx must be a whole number at least 1, got ''$"):
        everything.main(["--L", "2", "--dx", ""], standalone_mode=False)


def test_positions_start_at_two_and_are_even():
    assert call("--L 2 --dx 8 --N 6")[1] == Partition(3, 3)
    with pytest.raises(InvalidInput, match=r"^N must be a whole number at least 2, got 1$"):
        call("--L 2 --dx 8 --N 1")
    with pytest.raises(InvalidInput, match=r"^N must be even for a balanced partition, got 5"):
        call("--L 2 --dx 8 --N 5")


def test_huge_whole_numbers_are_accepted():
    assert call(f"--L 2 --dx {10**60}")[0].dx == 10**60
    assert WholeNumber().convert("+7", None, None) == 7
    assert WholeNumber().convert(7, None, None) == 7


def test_more_digits_than_python_reads_are_one_line():
    with pytest.raises(InvalidInput, match=r"^dx has 5000 digits, more than Python is set to read$"):
        call(f"--L 2 --dx {'9' * 5000}")


def test_sizes_that_are_required():
    with pytest.raises(click.MissingParameter) as caught:
        call("--L 2")
    assert "--dx" in caught.value.format_message()


def test_sizes_may_be_left_to_a_config_file():
    @click.command()
    @architecture_options(required=False)
    def command(**sizes):
        return sizes

    sizes = command.main([], standalone_mode=False)
    assert sizes == {"L": None, "dx": None, "H": None, "da": None, "residual": False}
    with pytest.raises(InvalidInput, match=r"^L must be given with --L, got no such option$"):
        architecture_from(**sizes)


def test_head_size_needs_heads_that_divide_the_width():
    with pytest.raises(InvalidInput, match="H must divide dx when the head size da is not given, got H=3, dx=8"):
        call("--L 2 --dx 8 --H 3")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--N 4 --NA 2", "N excludes NA and NB, got N=4 with NA=2$"),
        ("--N 4 --NA 2 --NB 2", "N excludes NA and NB, got N=4 with NA=2 NB=2$"),
        ("--NA 2", "NA and NB must be given together, got NA=2 alone"),
        ("--NB 2", "NA and NB must be given together, got NB=2 alone"),
    ],
)
def test_sides_that_do_not_go_together(line, message):
    with pytest.raises(InvalidInput, match=message):
        call(f"--L 2 --dx 8 {line}")


def test_output_is_checked_before_the_command_runs(tmp_path):
    with pytest.raises(InvalidInput, match="it is a folder"):
        call(f"--L 2 --dx 8 --output {tmp_path}")


def test_format_must_be_one_of_the_command():
    with pytest.raises(click.BadParameter, match="'xml' is not one of 'table', 'json'"):
        call("--L 2 --dx 8 --format xml")
