"""README's pictures, of the real program on a pseudo-terminal: the first minutes as a film, and the cockpit with its verdict.

    python -m tests.measure.pictures [FOLDER]

Trains `quick` from a launch in the launcher, and writes first-minutes.svg and cockpit.svg into FOLDER (assets).
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.fakes.sent_screen import ColouredScreen
from tests.fakes.terminal import Terminal
from tests.fakes.training import wait_for
from tests.measure.svg import Screen, Shot, film, still

SIZE = (120, 40)
FOLDER = "rl-bots"  # in the home folder; it is on the pictures
CALM = 0.04  # seconds without a byte: a picture is whole
LOOK = 0.1  # seconds between looks; on the film three times as long where time is shown faster
FAST = 12
CLOSED = "esc"  # all charts again, with the verdict: the still picture
CHANGE = ":  change a reward while it trains"
VERDICT = 2  # row of the cockpit
LONGEST = 150  # seconds of training before a key or two are pressed, which wait for a verdict


class SeenScreen(ColouredScreen):
    """Beside that, what was there before is back when the program leaves."""

    def _control(self, text: str, letter: str) -> None:
        super()._control(text, letter)
        if letter == "l" and text == "?1049":
            self.resize(self._columns, self._count)
            self._x = self._y = 0

    @property
    def cells(self) -> Screen:
        return tuple(tuple(self.row(y)) for y in range(self._count))


class Camera(Terminal):
    """A terminal whose screen is looked at again and again while time is let go by."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._pictured = SeenScreen(*SIZE)
        self._newest = self._start = time.monotonic()
        self.shots: list[Shot] = []
        super().__init__(*args, columns=SIZE[0], rows=SIZE[1], **kwargs)

    @property
    def cells(self) -> Screen:
        wait_for(lambda: time.monotonic() - self._newest > CALM, "a whole picture")
        with self._reading:
            return self._pictured.cells

    def watch(self, seconds: float, words: str = "", speed: float = 1.0) -> None:
        """So long, shown `speed` times as fast."""
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            cells, passed = self.cells, int(now - self._start)
            time.sleep(LOOK if speed == 1 else 3 * LOOK * speed)
            took = (time.monotonic() - now) / speed
            clock = f"{passed // 60}:{passed % 60:02}"
            last = self.shots[-1] if self.shots else None
            if last is not None and last.screen == cells and last.left == words:
                self.shots[-1] = Shot(cells, last.seconds + took, words, last.right)
            else:
                self.shots.append(Shot(cells, took, words, clock))

    def press(self, keys: str, words: str, seconds: float = 2.0) -> None:
        self.type(keys)
        self.watch(seconds, words)

    def _note(self, data: bytes) -> None:
        super()._note(data)
        self._newest = time.monotonic()
        self._pictured.feed(data)


def first_minutes(home: Path) -> list[Shot]:
    """Launcher, launch, cockpit, some keys, quit; the trainer goes on."""
    (home / FOLDER).mkdir()
    camera = Camera(home / FOLDER, env={"HOME": str(home), "LOGNAME": "ada"})
    try:
        camera.wait_screen("Profiles")
        camera.watch(1.5, "rltui")
        while not re.search(r"▌.* quick\b", camera.screen):
            camera.press("j", "j", 0.3)
        camera.wait_screen("ready to launch")
        camera.watch(4, "choose a profile")
        camera.press("\r", "enter  launch", 3)
        camera.wait_screen("COLLECTING")
        end = time.monotonic() + LONGEST
        while "learning" not in camera.screen.splitlines()[VERDICT] and time.monotonic() < end:
            camera.watch(2, f"it trains ({FAST} times as fast)", speed=FAST)
        camera.press("h", "h  what does this figure mean?", 5)
        camera.press("\x1b", CLOSED, 1.5)
        camera.press(":", CHANGE, 1)
        for letter in "reward touch 2":
            camera.press(letter, CHANGE, 0.1)
        camera.press("\r", "enter", 5)
        camera.press("2", "2  what each reward pays", 3)
        camera.press("q", "q", 2.5)
        camera.press("k", "k  keep training", 0.5)
        camera.wait_end()
        camera.watch(3, "it trains on")
    finally:
        camera.close()
    return camera.shots


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("assets"))
    args = parser.parse_args()
    home = Path(tempfile.mkdtemp())
    try:
        shots = first_minutes(home)
        poster = max(number for number, shot in enumerate(shots) if shot.left == CLOSED)
        (args.folder / "first-minutes.svg").write_text(film(shots, poster), encoding="utf-8")
        (args.folder / "cockpit.svg").write_text(still(shots[poster].screen), encoding="utf-8")
    finally:
        subprocess.run([sys.executable, "-m", "rltui", "stop", "--data-dir", str(home / FOLDER / "data")], check=False)
        shutil.rmtree(home)


if __name__ == "__main__":
    main()
