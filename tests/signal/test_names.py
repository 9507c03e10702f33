"""The names that `seprank.signal` promises, and what importing them costs."""

import subprocess
import sys

import pytest

import seprank.signal


def test_names_are_found_and_explained():
    assert dir(seprank.signal) == sorted(seprank.signal.__all__)
    for name in seprank.signal.__all__:
        assert len(getattr(seprank.signal, name).__doc__) > 40
    with pytest.raises(AttributeError, match=r"module 'seprank\.signal' has no attribute 'colapse'"):
        _ = seprank.signal.colapse


def test_closed_forms_load_no_torch():
    code = (
        "import sys; from seprank.signal import advise, collapse, expected_norms, squared_norms, warm_up;"
        "sys.exit('torch' in sys.modules or 'numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
