"""What TensorBoard is given is what the metrics say."""

import json
import runpy
import struct
import sys

import pytest
from tensorboardX.proto import event_pb2

from jaxpoker.errors import RunError
from jaxpoker.runs.tensorboard import Mirror


def scalars(folder):
    """(name, step, value) of event files: records of a length, its checksum, the data and theirs."""
    found = []
    for file in sorted(folder.iterdir()):
        data, at = file.read_bytes(), 0
        while at < len(data):
            (length,) = struct.unpack_from("<Q", data, at)
            event = event_pb2.Event.FromString(data[at + 12 : at + 12 + length])
            found += [(value.tag, event.step, value.simple_value) for value in event.summary.value]
            at += 12 + length + 4
    return found


def test_every_metric_of_every_line_and_what_is_added_later(tmp_path):
    metrics = tmp_path / "metrics.jsonl"
    rows = [{"step": 1, "seconds": 0.5, "loss": 2.0}, {"step": 3, "seconds": 1.5, "loss": 1.0, "mbb/tag": None}]
    metrics.write_text("".join(json.dumps(row) + "\n" for row in rows))
    mirror = Mirror(tmp_path)
    assert mirror.update() == 2 and mirror.update() == 0
    with metrics.open("a") as file:
        file.write(json.dumps({"step": 5, "seconds": 2.5, "loss": 0.5, "mbb/tag": -7.0}) + '\n{"step": 7, "sec')
    assert mirror.update() == 2
    mirror.close()
    expected = [("loss", 1, 2.0), ("loss", 3, 1.0), ("loss", 5, 0.5), ("mbb/tag", 5, -7.0)]
    assert scalars(tmp_path / "tensorboard") == expected
    again = Mirror(tmp_path)  # made anew, not twice
    assert again.update() == 4
    again.close()
    assert scalars(tmp_path / "tensorboard") == expected


def test_a_folder_that_is_no_run_is_named(tmp_path):
    with pytest.raises(RunError, match=r"cannot read .*metrics.jsonl"):
        Mirror(tmp_path / "nowhere")


def test_the_script_says_what_it_wrote_and_what_is_missing(tmp_path, repository, monkeypatch, capsys):
    def run(*arguments, code):
        script = str(repository / "scripts" / "tensorboard.py")
        monkeypatch.setattr(sys, "argv", [script, *map(str, arguments)])
        with pytest.raises(SystemExit) as done:
            runpy.run_path(script, run_name="__main__")
        assert done.value.code == code
        return "".join(capsys.readouterr())

    (tmp_path / "metrics.jsonl").write_text(json.dumps({"step": 1, "seconds": 0.5, "loss": 2.0}) + "\n")
    assert run(tmp_path, code=0) == f"1 values of 1 lines in {tmp_path / 'tensorboard'}\n"
    assert "name the folder of a run" in run(code=2)
    assert "cannot read" in run(tmp_path / "nowhere", code=2)
