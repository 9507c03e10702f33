"""Studies: grids of cases, the results store that keeps them, and sweeps that fill it.

`records(path)` reads a store as a list of `Record`, `load(path)` as a pandas DataFrame; docs/studies.md describes the
columns.
"""

from seprank.study.reading import certificate, load, records
from seprank.study.record import Record

__all__ = ["Record", "certificate", "load", "records"]
