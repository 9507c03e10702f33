"""`seprank hop thresholds`, `train`, `inspect` and `attention`."""

import json

import pytest

TRAIN = "train --k 1 --N 10 --depth 1 --alphabet 2 --dx 8 --H 2 --batch 4 --steps 20 --every 10"


def test_thresholds(succeeds, tmp_path):
    text = succeeds("hop", "thresholds")
    assert "depth 2: 1, depth 3: 3, depth 4: 5, depth 5: 8, depth 6: 15" in text
    assert "agrees for 13 of the 16 k" in text
    assert "caveat: the authors' file was measured with dropout 0.1 switched on" in text
    found = json.loads(succeeds("hop", f"thresholds --heads 8 --level 0.02 --format json --plot {tmp_path / 'a.png'}"))
    assert (found["schema"], found["heads"], found["samples"]) == ("seprank.hop.thresholds/1", 8, None)
    assert (found["floor_agrees"], found["ceiling_agrees"], found["dropout_on"]) == ([15, 16], [4, 16], True)
    assert found["thresholds"][2] == {
        "k": 3,
        "smallest_depth": 3,
        "floor_rule": 3,
        "ceiling_rule": 4,
        "errors": {"2": 1235 / 8800, "3": 42 / 8800, "4": 4 / 8800, "5": 1 / 8800, "6": 0.0},
    }
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_thresholds_of_other_tables(succeeds):
    assert "caveat" not in succeeds("hop", "thresholds --without-dropout")
    assert "> 5" in succeeds("hop", "thresholds --without-dropout --format csv")
    assert "1000 training strings" in succeeds("hop", "thresholds --samples 1000")


def test_train_inspect_and_go_on(succeeds, is_refused, tmp_path):
    pytest.importorskip("torch")
    kept = f"--checkpoint {tmp_path / 'a.pt'} --log {tmp_path / 'a.csv'}"
    text = succeeds("hop", f"{TRAIN} {kept}")
    assert "20 steps of 4 strings" in text
    assert "evaluation mode (dropout off) on 100 fresh strings for each k" in text
    assert "torch on 1 thread" in text
    found = json.loads(succeeds("hop", f"{TRAIN} {kept} --steps 30 --format json"))
    assert (found["schema"], found["steps"], found["mode"]) == ("seprank.hop.train/1", 30, "eval")
    assert [note["step"] for note in found["notes"]] == [10, 20, 30]
    assert [row["k"] for row in found["errors"]] == [0, 1]
    log = (tmp_path / "a.csv").read_text().splitlines()
    assert log[0] == "k,N,depth,alphabet,dx,H,batch,rate,warmup,dropout,seed,step,loss,hops,wrong,scored,mode"
    assert len(log) == 1 + 3 * 2

    code, said = is_refused("hop", f"{TRAIN} {kept} --seed 1")
    assert (code, "with seed = 0 in place of 1" in said) == (2, True)
    code, said = is_refused("hop", f"{TRAIN} {kept}")
    assert (code, said) == (2, "steps must be at least the 30 of the checkpoint, got 20")

    looks = json.loads(succeeds("hop", f"inspect {tmp_path / 'a.pt'} --strings 3 --format json"))
    assert (looks["schema"], looks["k"], looks["mode"]) == ("seprank.hop.inspect/1", 1, "eval")
    assert [(head["layer"], head["head"]) for head in looks["heads"]] == [(1, 1), (1, 2)]
    assert set(looks["heads"][0]["shares"]) == {"previous", "self", "find^1", "find^2"}
    assert "equal weights would give" in succeeds("hop", f"inspect {tmp_path / 'a.pt'} --plot {tmp_path / 'h.svg'}")
    assert succeeds("hop", f"inspect {tmp_path / 'a.pt'} --format csv").startswith("layer,head,looks at,previous")
    assert (tmp_path / "h.svg").read_text().startswith("<?xml")
    table = succeeds("hop", f"thresholds --log {tmp_path / 'a.csv'}")
    assert "your runs, evaluated without dropout: 2 heads" in table

    succeeds("plot", f"hop-errors --no-table --log {tmp_path / 'a.csv'} -o {tmp_path / 'e.png'}")
    succeeds("plot", f"hop-attention --checkpoint {tmp_path / 'a.pt'} --all-heads -o {tmp_path / 'b.png'}")
    code, said = is_refused("plot", f"hop-attention --checkpoint {tmp_path / 'a.pt'} --N 11 -o {tmp_path / 'b.png'}")
    assert (code, said) == (2, "N must be that of the checkpoint, 10, got 11")
    code, said = is_refused("plot", f"hop-attention --checkpoint {tmp_path / 'a.pt'} --k 2 -o {tmp_path / 'b.png'}")
    assert (code, said) == (2, "k must be a whole number from 0 to 1, got 2")


def test_dropout_is_shown_on_and_off(succeeds):
    pytest.importorskip("torch")
    assert "% wrong, dropout on" in succeeds("hop", f"{TRAIN} --dropout 0.3")


def test_attention(succeeds, tmp_path):
    text = succeeds("hop", f"attention --k 4 abcabdcabdcabcabd --construction C1 --plot {tmp_path / 'a.pdf'}")
    assert "C1 for hop_4 on a string of 17 symbols: abcabdcabdcabcabd" in text
    assert [line.split()[-3:-1] for line in text.splitlines() if "find^" in line][-1] == ["8", "(a)"]
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    found = json.loads(succeeds("hop", "attention --k 7 --N 30 --alphabet 4 --construction C2 --format json"))
    assert found["schema"] == "seprank.hop.attention/1"
    assert [head["looks_at"] for head in found["heads"]] == ["spread", "find^1", "find^2", "find^4"]
    assert len(found["heads"][0]["strongest"]) == 30
    other = json.loads(succeeds("hop", "attention --k 7 --N 30 --alphabet 4 --seed 1 --format json"))
    assert other["string"] != found["string"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("thresholds --level 1.5", "level must be a number between 0 and 1, got 1.5"),
        ("thresholds --level nan", "level must be a positive number, got nan"),
        ("thresholds --heads 5", "(heads, samples) must be one of"),
        ("thresholds --plot a.gif", "plot must end in .png, .svg or .pdf, got 'a.gif'"),
        ("thresholds --log /nowhere.csv", "log must be a file of 'seprank hop train --log'"),
        ("thresholds --log /nowhere.csv --without-dropout", "log excludes --without-dropout"),
        ("train --k 0", "k must be a whole number at least 1, got 0"),
        ("train --dx 30", "H must divide dx, got H=4 with dx=30"),
        ("train --N 5", "N must be above 10"),
        ("train --rate nan", "rate must be a positive number at most 1, got nan"),
        ("train --checkpoint /nowhere/a.pt", "checkpoint must be a file that can be written"),
        ("train --checkpoint same --log same", "checkpoint, log and output must be different files"),
        ("inspect /nowhere.pt", "checkpoint must be a file of seprank.hop.checkpoint/1, got '/nowhere.pt'"),
        ("attention --k 3", "N must be given with --N where there is no TEXT, got no such option"),
        ("attention --k 3 --N 9", "alphabet must be given with --alphabet"),
        ("attention --k 3 abc --N 4", "N must be the length 3 of TEXT, got 4"),
        ("attention --k 3 abc --alphabet 2", "alphabet must be at least the 3 symbols of TEXT, got 2"),
        ("attention --k 3 abc --seed 2", "seed is for strings drawn at random, got 2 with TEXT"),
        ("attention --k 0 abc", "k must be a whole number at least 1, got 0"),
        ("attention --k 3 --N 2001 --alphabet 4", "N must be at most 2000"),
        ("attention --k 3 --N 9 --alphabet 3 --digits 2", "digits goes with construction C2 alone"),
    ],
)
def test_bad_input(is_refused, line, message):
    code, said = is_refused("hop", line)
    assert (code, message in said) == (2, True), said


def test_an_exported_construction_is_no_checkpoint(succeeds, is_refused, tmp_path):
    pytest.importorskip("torch")
    succeeds("hop", f"build --k 1 --N 5 --alphabet 2 --export {tmp_path / 'a.pt'}")
    code, said = is_refused("hop", f"inspect {tmp_path / 'a.pt'}")
    assert (code, "without its fields" in said) == (2, True)
