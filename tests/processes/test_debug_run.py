"""`rltui train --debug` as a process: everything is spelled out, and the second iteration begins on the roof."""

from __future__ import annotations

import re
from pathlib import Path

from tests.fakes.training import Training


def test_the_second_iteration_begins_on_the_roof_and_the_third_does_not(tmp_path: Path) -> None:
    training = Training(tmp_path).start("--debug", "--steps", "1500")
    try:
        assert training.wait_end() == 0, training.output
    finally:
        training.kill_all()
    said = training.output
    first, second, third = re.split(r".*\[debug_turtled_start\].*\n", said)
    for part, turtled in ((first, False), (second, True), (third, False)):
        states = re.findall(r"\[global_debug_mode\]   car \d: .*turtled (True|False)", part)
        assert states == [str(turtled)] * 8  # four arenas, 1v1
        probes = re.findall(r"turtle probe, arena \d car \d: (a|no) turtle", part)
        assert len(probes) == 8
        assert probes.count("a") > 4 if turtled else probes.count("a") == 0  # a jump press may have lifted one
        for flag in ("debug_actions", "debug_learning", "debug_checkpoints"):
            assert f"[{flag}]" in part
    assert "IMPOSSIBLE" not in said
    assert len(training.iterations()) == 3
