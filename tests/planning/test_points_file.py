"""Points from CSV files, and one clear line for every file that holds none."""

import re

import pytest

from seprank.errors import InvalidInput
from seprank.planning import TransitionPoint, read_points


@pytest.fixture
def points(tmp_path):
    def write(content):
        path = tmp_path / "points.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_points(path)

    return write


def test_columns_in_any_order_with_remarks(points):
    text = '# measured in May\nwidth, error ,note,depth\n\n216,7,"a, b",6\n# no\n 301.5 , 9e0,,12\r\n'
    assert points(text) == (TransitionPoint(6, 216.0, 7.0), TransitionPoint(12, 301.5, 9.0))


def test_a_byte_order_mark_and_a_path_as_text(tmp_path):
    (tmp_path / "p.csv").write_bytes(b"\xef\xbb\xbfdepth,width,error\n6.0,216,7\n")
    assert read_points(str(tmp_path / "p.csv")) == (TransitionPoint(6, 216.0, 7.0),)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "points must hold a header line depth,width,error, got no line in"),
        ("# only remarks\n", "got no line in"),
        ("6,216,7\n", "points must have one column 'depth', got the header '6,216,7' in"),
        ("depth,width\n6,216\n", "points must have one column 'error', got the header 'depth,width' in"),
        ("depth,depth,width,error\n", "points must have one column 'depth'"),
        ("depth,width,error\n6,216\n", "points must have 3 cells a line, got 2 in 'points.csv' line 2"),
        ("depth,width,error\n6,216,7,8\n", "points must have 3 cells a line, got 4 in 'points.csv' line 2"),
        ("depth,width,error\n\n6,wide,7\n", "width must be a number, got 'wide' in 'points.csv' line 3"),
        ("depth,width,error\n6,,7\n", "width must be a number, got '' in"),
        ("depth,width,error\n6,nan,7\n", "width must be a positive number, got nan in"),
        ("depth,width,error\n6,-3,7\n", "width must be a positive number, got -3.0 in"),
        ("depth,width,error\n6,216,0\n", "error must be a positive number, got 0.0 in"),
        ("depth,width,error\n6.5,216,7\n", "depth must be a whole number at least 1, got 6.5 in"),
        ("depth,width,error\n1e999,216,7\n", "depth must be a whole number at least 1, got inf in"),
        (b"depth,width,error\n\xff,1,1\n", "points must be UTF-8 text, got byte 0xff at offset 18 in"),
        (f'depth,width,error\n"{"x" * 200_000}",1,1\n', "points must be CSV, got a line that is not: field larger"),
        (b"#" * (16 * 2**20 + 1), "points must be at most 16 MiB, got more in"),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, str) else "bytes",
)
def test_files_without_points(points, content, message, tmp_path):
    with pytest.raises(InvalidInput) as caught:
        points(content)
    assert message in str(caught.value).replace(f"{tmp_path}/", "")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_paths_without_a_file(tmp_path):
    with pytest.raises(InvalidInput, match=re.escape(f"points must be an existing file, got '{tmp_path}/none'")):
        read_points(tmp_path / "none")
    with pytest.raises(InvalidInput, match="points must be a file, got the folder"):
        read_points(tmp_path)
    with pytest.raises(InvalidInput, match="points must be a file that can be read, got"):
        read_points(f"{tmp_path}/{'x' * 300}")
