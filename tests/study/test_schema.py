"""The file of a store: made in one step, and everything else refused and left as it is."""

import os
import pickle
import shutil
import sqlite3
import threading
from contextlib import closing

import pytest

from seprank.errors import InvalidInput, SeprankError
from seprank.study import certificate, load, records
from seprank.study.schema import APPLICATION_ID, open_to_read, open_to_write
from seprank.study.store import Store


def foreign(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE results (key TEXT)")
        connection.commit()


def unmarked_tables(path):
    foreign(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")


def of_version(version):
    def make(path):
        open_to_write(path).close()
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA user_version = {version}")

    return make


def of_bytes(content):
    return lambda path: path.write_bytes(content)


REFUSED = {
    "empty": (of_bytes(b""), "it is empty"),
    "text": (of_bytes(b"L,dx,H\n1,2,1\n"), "it is not an SQLite file"),
    "almost": (of_bytes(b"SQLite format 4\0" + bytes(1000)), "it is not an SQLite file"),
    "header alone": (of_bytes(b"SQLite format 3\0"), "results store"),
    "header and nothing": (of_bytes(b"SQLite format 3\0" + bytes(5000)), "results store"),
    "foreign": (foreign, "it is an SQLite file of another program"),
    "tables": (unmarked_tables, "it lacks tables"),
    "version 0": (of_version(0), "store must have schema version 1, got 0"),
    "version 2": (of_version(2), "store must have schema version 1, got 2"),
    "later version": (of_version(2**31 - 1), "store must have schema version 1, got 2147483647"),
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("use", [records, load, open_to_write, Store, lambda path: certificate(path, "")])
def test_other_files_are_refused_and_left_as_they_are(kind, use, tmp_path):
    path = tmp_path / "file.sqlite"
    make, message = REFUSED[kind]
    make(path)
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match=r"^store must") as caught:
        use(path)
    assert message in str(caught.value)
    assert "file.sqlite" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_torn_files_are_refused_and_left_as_they_are(share, filled, tmp_path):
    path = tmp_path / "torn.sqlite"
    whole = filled.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    before = path.read_bytes()
    for use in (records, Store):
        with pytest.raises(InvalidInput, match=r"^store must be"):
            use(path)
    assert path.read_bytes() == before


def test_pages_of_rubbish_are_refused(filled, tmp_path):
    path = tmp_path / "rubbish.sqlite"
    content = bytearray(filled.read_bytes())
    for page in range(4096, len(content), 4096):
        content[page : page + 64] = os.urandom(64)
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"^store must be"):
        records(path)


def test_nothing_is_ever_unpickled(filled, tmp_path):
    path, trace = tmp_path / "pickles.sqlite", tmp_path / "trace"

    class Trap:
        def __reduce__(self):
            return (open, (str(trace), "w"))

    shutil.copy(filled, path)
    with closing(sqlite3.connect(path)) as connection:
        for column in ("blocks", "bounds", "versions", "rank"):
            connection.execute(f"UPDATE results SET {column} = ?", (pickle.dumps(Trap()),))
        connection.execute("UPDATE certificates SET document = ?", (pickle.dumps(Trap()),))
        connection.commit()
    with pytest.raises(InvalidInput, match=r"row '[0-9a-f]{64}' is malformed"):
        records(path)
    with pytest.raises(InvalidInput, match=r"is malformed"):
        load(path)
    assert not trace.exists()


@pytest.mark.parametrize("place", ["no-folder/results.sqlite", "."])
def test_places_where_no_store_can_be(place, tmp_path):
    with pytest.raises(InvalidInput, match=r"^store must be"):
        open_to_write(tmp_path / place)
    with pytest.raises(InvalidInput, match=r"^store must be a file that can be read"):
        open_to_read(tmp_path / place)
    assert list(tmp_path.iterdir()) == []


def test_several_may_make_the_same_store_at_the_same_time(tmp_path):
    path, failures = tmp_path / "results.sqlite", []
    barrier = threading.Barrier(8)

    def make():
        barrier.wait()
        try:
            open_to_write(path).close()
        except BaseException as error:
            failures.append(error)

    makers = [threading.Thread(target=make) for _ in range(8)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert failures == []
    assert records(path) == []
    assert [file.name for file in tmp_path.iterdir() if not file.name.startswith("results.sqlite")] == []


def test_a_store_is_kept_behind_a_link_and_readable_without_leave_to_write(filled, tmp_path):
    link, archive = tmp_path / "link.sqlite", tmp_path / "archive"
    link.symlink_to(tmp_path / "real.sqlite")
    open_to_write(link).close()
    assert link.is_symlink()
    assert (tmp_path / "real.sqlite").is_file()
    archive.mkdir()
    shutil.copy(filled, archive / "results.sqlite")
    archive.chmod(0o555)
    try:
        assert len(records(archive / "results.sqlite")) == 8
    finally:
        archive.chmod(0o755)


def test_a_locked_store_is_said_to_be_locked(tmp_path, monkeypatch):
    path = tmp_path / "results.sqlite"
    monkeypatch.setattr("seprank.study.schema.PATIENCE", 0.05)
    with Store(path) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(SeprankError, match=r"cannot be used: database is locked$"):
            store.give_up()
        other.execute("ROLLBACK")
        store.give_up()


def test_file_systems_without_links_will_do(tmp_path, monkeypatch):
    def no_links(*arguments):
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "results.sqlite"
    open_to_write(path).close()
    assert records(path) == []
    assert [file.name for file in tmp_path.iterdir() if file.name.endswith(".part")] == []


def test_a_folder_that_takes_no_index_of_the_log(filled, monkeypatch):
    real, asked = sqlite3.connect, []

    class NoIndex(sqlite3.Connection):
        def execute(self, *arguments):
            error = sqlite3.OperationalError("unable to open database file")
            error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            raise error

    def connect(address, **options):
        asked.append(address)
        return real(address, **options, **({} if "immutable" in address else {"factory": NoIndex}))

    monkeypatch.setattr(sqlite3, "connect", connect)
    assert len(records(filled)) == 8
    assert [address.partition("?")[2] for address in asked] == ["mode=ro", "mode=ro&immutable=1"]
