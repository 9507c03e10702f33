"""`seprank check-certificate`: confirmed, rejected, or no certificate at all."""

import json
import os
import threading

import pytest

from seprank import Architecture, separation_rank
from seprank.cli.main import run
from seprank.separation.certificate import certificate, certificate_text, digest


@pytest.fixture(scope="module")
def good():
    return certificate(separation_rank(Architecture(L=2, dx=3)))


@pytest.fixture
def check(capsys):
    """Runs the command; returns exit code, stdout and stderr."""

    def call(path, *options):
        code = run(["check-certificate", str(path), *options])
        streams = capsys.readouterr()
        return code, streams.out, streams.err

    return call


def written(tmp_path, document):
    path = tmp_path / "out.json"
    path.write_text(certificate_text(document))
    return path


def test_a_certificate_that_holds(check, good, tmp_path):
    code, output, errors = check(written(tmp_path, good))
    assert (code, errors) == (0, "")
    assert output.startswith("confirmed: the separation rank is at least 49 for almost all weights\n")
    entries = sum(piece["rank"] ** 2 for piece in good["pieces"])
    assert f"{entries} entries from {5 * entries} evaluations" in output


def test_the_document(check, good, tmp_path):
    code, output, errors = check(written(tmp_path, good), "--format", "json", "--threads", "1")
    assert (code, errors) == (0, "")
    found = json.loads(output)
    assert found.pop("seconds") >= 0
    entries = sum(piece["rank"] ** 2 for piece in good["pieces"])
    expected = {"schema": "seprank.check/1", "confirmed": True, "rank": 49, "entries": entries}
    assert found == {**expected, "evaluations": 5 * entries}


def test_a_changed_certificate_is_rejected_with_the_reason(check, good, tmp_path):
    code, output, errors = check(written(tmp_path, {**good, "rank": 50}), "--format", "json")
    assert (code, output) == (1, "")
    assert errors == "seprank: the digest does not match the content: the certificate was changed\n"


def test_a_false_claim_is_rejected_with_the_reason(check, good, tmp_path):
    pieces = [dict(piece) for piece in good["pieces"]]
    last = pieces[4]
    pieces[4] = {**last, "rank": last["rank"] + 1, "rows": [*last["rows"], 40], "columns": [*last["columns"], 40]}
    forged = {**good, "rank": 50, "pieces": pieces}
    forged["digest"] = digest(forged)
    code, output, errors = check(written(tmp_path, forged))
    assert (code, output) == (1, "")
    assert errors == "seprank: the pivots of block 4 have rank 3 modulo 4194301, not 4 as claimed\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "certificate must be JSON, got "),
        (b"\xff\xfe\x00\x01" * 100, "certificate must be JSON, got "),
        (
            b"[1, 2]",
            "certificate must have schema 'seprank.certificate/1' or 'seprank.certificate.derivative/1', got 'list'",
        ),
        (b"[" * 200_000, "certificate must be JSON, got "),
        (b'{"a":' * 200_000, "certificate must be JSON, got "),
        (b"null", "certificate must have schema"),
        (b"{}", "certificate must have schema 'seprank.certificate/1' or 'seprank.certificate.derivative/1', got None"),
        (b'{"schema": "seprank.certificate/2"}', "certificate must have schema"),
        (b'{"schema": "seprank.certificate/1"}', "certificate field architecture must be there"),
        (b'{"schema": 1, "schema": 2}', "certificate must have each field once, got one twice"),
        (b"NaN", "certificate must have schema"),
    ],
)
def test_a_file_that_is_no_certificate(check, tmp_path, content, message):
    path = tmp_path / "out.json"
    path.write_bytes(content)
    code, output, errors = check(path)
    assert (code, output) == (2, "")
    assert errors.startswith(f"seprank: {message}")
    assert errors.count("\n") == 1
    assert len(errors) < 400


def test_a_path_that_is_no_file(check, tmp_path):
    code, _, errors = check(tmp_path)
    assert (code, errors) == (2, f"seprank: certificate must be a readable file, got {tmp_path}: Is a directory\n")
    code, _, errors = check(tmp_path / "none")
    assert code == 2
    assert "No such file" in errors


def test_a_pipe_will_do(check, good, tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(certificate_text(good),))
    writer.start()
    code, _, _ = check(path)
    writer.join()
    assert code == 0


def test_sizes_that_cannot_fit_are_refused_at_once(check, good, tmp_path):
    forged = {**good, "architecture": {**good["architecture"], "dx": 10**9}}
    forged["digest"] = digest(forged)
    code, output, errors = check(written(tmp_path, forged))
    assert (code, output) == (3, "")
    assert "the check needs about" in errors


def test_a_long_check_is_announced(check, good, tmp_path, monkeypatch):
    monkeypatch.setattr("seprank.cli.progress.LONG", 0.0)
    code, output, errors = check(written(tmp_path, good), "--format", "json")
    assert code == 0
    assert errors.startswith("seprank: this will take about ")
    assert json.loads(output)["confirmed"] is True


def test_the_result_goes_to_a_file(check, good, tmp_path):
    path = written(tmp_path, good)
    assert check(path, "--format", "json", "--output", str(tmp_path / "checked.json")) == (0, "", "")
    assert json.loads((tmp_path / "checked.json").read_text())["rank"] == 49


@pytest.fixture(scope="module")
def derivatives():
    return certificate(separation_rank(Architecture(L=2, dx=3), method="derivative"))


def test_a_certificate_by_derivatives(check, derivatives, tmp_path):
    code, output, errors = check(written(tmp_path, derivatives))
    assert (code, errors) == (0, "")
    first, second, third = output.splitlines()
    assert first == "confirmed: the separation rank is at least 49 for almost all weights and long input"
    assert second == "exact, at most 49 by the proved bounds of the blocks"
    assert third.startswith("123 entries from 36 coefficients, ")


def test_the_document_for_derivatives(check, derivatives, tmp_path):
    code, output, errors = check(written(tmp_path, derivatives), "--format", "json")
    assert (code, errors) == (0, "")
    found = json.loads(output)
    assert found.pop("seconds") >= 0
    expected = {"schema": "seprank.check.derivative/1", "confirmed": True, "rank": 49, "upper": 49}
    assert found == {**expected, "coefficients": 36, "entries": 123}


def test_a_lower_bound_by_derivatives_is_not_called_exact(check, tmp_path):
    document = certificate(separation_rank(Architecture(L=2, dx=3), method="derivative", prime=5))
    assert document["rank"] < 49
    _, output, _ = check(written(tmp_path, document))
    assert output.splitlines()[1] == "at most 49 by the proved bounds of the blocks"


def test_changes_of_a_certificate_by_derivatives_are_rejected(check, derivatives, tmp_path):
    assert check(written(tmp_path, {**derivatives, "rank": 50}))[0] == 1
    forged = {**derivatives, "rank": 50}
    forged["digest"] = digest(forged)
    code, output, errors = check(written(tmp_path, forged))
    assert (code, output) == (1, "")
    assert errors == "seprank: the ranks of the blocks add up to 49, not to the claimed 50\n"


def test_a_torn_certificate_by_derivatives(check, derivatives, tmp_path):
    path = written(tmp_path, derivatives)
    text = path.read_text()
    for share in (3, 10, 500, len(text) // 2, len(text) - 3):
        path.write_text(text[:share])
        code, output, errors = check(path)
        assert (code, output) == (2, "")
        assert errors.startswith("seprank: certificate must be JSON, got ")


def test_a_check_of_derivatives_that_cannot_fit_is_refused(check, derivatives, tmp_path, monkeypatch):
    monkeypatch.setattr("seprank.separation.derivative_check.room", lambda: 1000)
    code, output, errors = check(written(tmp_path, derivatives))
    assert (code, output) == (3, "")
    assert errors.startswith("seprank: the check needs about ")
    assert errors.count("\n") == 1


def test_the_method_chosen_by_itself_has_a_certificate(check, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("seprank.separation.plan.LARGE", 1)
    path = tmp_path / "out.json"
    assert run(["rank", "--L", "4", "--dx", "2", "--certificate", str(path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["method"] == "derivative"
    assert check(path, "--format", "json")[0] == 0
