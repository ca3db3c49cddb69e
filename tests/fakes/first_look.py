"""`python -m tests.fakes.first_look DATA WORDS [RUN]`: the program without a terminal until the words are on its screen.

Prints what has been imported by then, one module a line.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from rltui.cli import cockpit  # noqa: F401  # as the command line has them
from rltui.runs.paths import DataDir
from rltui.tui.app import RltuiApp
from rltui.tui.capture import screen_text


async def look(data: Path, words: str, run: str | None) -> None:
    """Until the words are there, however long that takes: whoever started this has a limit."""
    app = RltuiApp(DataDir(data), attach=run)
    async with app.run_test(size=(200, 50)) as pilot:
        while words not in screen_text(app.screen):
            await pilot.pause(0.001)
        print(*sorted(sys.modules), sep="\n")


if __name__ == "__main__":
    asyncio.run(look(Path(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None))
