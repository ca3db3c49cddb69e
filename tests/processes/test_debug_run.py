"""`rltui train --debug` as a process: everything is spelled out, and the second iteration begins on the roof."""

from __future__ import annotations

import re
from pathlib import Path

from rltui.events.records import LogLine
from tests.fakes.training import Training

ANNOUNCED = r".*\[debug_turtled_start\] (?:iteration 2|over):.*\n"


def test_the_second_iteration_begins_on_the_roof_and_the_third_does_not(tmp_path: Path) -> None:
    training = Training(tmp_path).start("--debug", "--steps", "1500")
    try:
        assert training.wait_end() == 0, training.output
    finally:
        training.kill_all()
    said = training.output
    first, second, third = re.split(ANNOUNCED, said)
    for part, turtled in ((first, False), (second, True), (third, False)):
        states = re.findall(r"\[global_debug_mode\] worker 0:   car \d: .*turtled (True|False)", part)
        assert states[:8] == [str(turtled)] * 8, "four arenas, 1v1, all begun anew"
        assert set(states) == {str(turtled)}
        probes = re.findall(r"turtle probe, arena \d car \d: (a|no) turtle", part)
        assert len(probes) >= 8
        assert probes[:8].count("a") > 4 if turtled else probes.count("a") == 0  # a jump press may have lifted one
        for flag in ("debug_actions", "debug_learning", "debug_checkpoints"):
            assert f"[{flag}]" in part
        assert re.search(r"\[debug_actions\] worker 0: [\d,]+ of 504 chosen actions turn", part)
    assert len(re.findall(r"controls are throttle, steer, pitch", said)) == 1
    assert "new episodes that begin on the roof: 4, in arena 0, 1, 2, 3" in second
    assert "IMPOSSIBLE" not in said
    assert "left out" not in said, "nothing is dropped in a run that is there to be read"
    assert len(training.iterations()) == 3
    spoken = [record for record in training.records if isinstance(record, LogLine) and record.flag == "debug_actions"]
    assert {(record.source, record.worker) for record in spoken} == {("worker", 0)}
