"""What printing costs a training: `quick` whose reward prints so many bytes a second in each worker, beside a silent one.

    python -m tests.measure.printing [ROUNDS]

"null" prints the same into /dev/null, which is what the printing itself costs. Rounds alternate; the figures are ratios to
the silent run of the same round, of timesteps a second of wall time and of processor time (of all processes).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parents[2]
STEPS = 100_000
REWARD = '''
import sys, time
from dataclasses import dataclass
import numpy as np
from rltui.rewards.base import Reward

LINES = "the ball is at (1234.5, -321.0, 93.1), my car at (12.0, 4000.1, 17.0)\\n" * 10
class Printing(Reward):
    """Pays nothing and prints."""
    sign = 0
    category = "events"
    @dataclass(frozen=True)
    class Params(Reward.Params):
        into: str = "silent"
    def __init__(self, params):
        super().__init__(params)
        self.until = time.monotonic()
    def value(self, state):
        into = self.params.into
        file = {"null": NULL, "stderr": sys.stderr}.get(into, sys.stdout)
        now = time.monotonic()
        due, self.until = min(now - self.until, 0.5) * 20e6, now
        for _ in range(0 if into == "silent" else int(due / len(LINES))):
            print(LINES, file=file)
        return np.zeros((state.arenas, state.cars), np.float32)
NULL = open("/dev/null", "w")
'''


def trained(folder: Path, into: str) -> tuple[float, float]:
    """Seconds of wall time from the first step on, and of processor time."""
    profile = (HERE / "profiles" / "quick.toml").read_text()
    reward = f'"{folder / "printing.py"}:Printing" = {{weight = 1.0, into = "{into}"}}'
    (folder / "p.toml").write_text(profile.replace("[rewards]\n", f"[rewards]\n{reward}\n"))
    (folder / "printing.py").write_text(REWARD)
    data = tempfile.mkdtemp(dir=folder)
    line = [sys.executable, "-m", "rltui", "train", str(folder / "p.toml"), "--steps", str(STEPS), "--data-dir", data]
    begun = time.monotonic()
    child = subprocess.Popen(
        line, cwd=HERE, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = status
    assert status == 0, f"{into}: {status}"
    return time.monotonic() - begun, used.ru_utime + used.ru_stime


def main(rounds: int) -> None:
    ratios: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as name:
        for _ in range(rounds):
            wall, cpu = trained(Path(name), "silent")
            for into in ("null", "stdout", "stderr"):
                took, spent = trained(Path(name), into)
                ratios.setdefault(into, []).append((wall / took, cpu / spent))
                print(f"{into}: {wall / took:.2f} of the silent speed, {cpu / spent:.2f} by processor time", flush=True)
    for into, found in ratios.items():
        speed, work = (statistics.median(one) for one in zip(*found, strict=True))
        print(f"median {into}: {speed:.2f}, {work:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
