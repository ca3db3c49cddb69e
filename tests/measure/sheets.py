"""Pictures of the snapshots to look at: the same screens as tests/golden/panes, in colour.

    python -m tests.measure.sheets FOLDER --states collecting campaign --panes metrics cockpit --size 120x40

Writes <state>-<pane>-<size>[-ascii].svg, and .png beside it where cairosvg can be imported or rsvg-convert is installed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from rltui.runs.paths import DataDir
from rltui.tui.cockpit.screen import PANES
from tests.fakes.screens import SIZES
from tests.fakes.snapshots import COCKPIT, MOMENTS, Size, each_alone, name_of, recorded_cockpit, settled

FONT = "DejaVu Sans Mono"  # the SVG's own comes over the network


async def draw(state: str, panes: list[str], size: Size, ascii_only: bool, folder: Path) -> None:
    """The wanted panes of one state."""
    ending = f"{size[0]}x{size[1]}{'-ascii' if ascii_only else ''}.svg"
    with tempfile.TemporaryDirectory() as data, contextlib.chdir(data):
        async with recorded_cockpit(MOMENTS[state], ascii_only, DataDir(Path("data"))) as pilot:
            await pilot.resize_terminal(*size)
            await settled(pilot, pilot.app.screen)
            if COCKPIT in panes:
                _write(folder / f"{state}-{COCKPIT}-{ending}", pilot.app.export_screenshot())
            async for pane in each_alone(pilot):
                if name_of(pane) in panes:
                    await settled(pilot, pane)
                    _write(folder / f"{state}-{name_of(pane)}-{ending}", pilot.app.export_screenshot())


def _write(path: Path, svg: str) -> None:
    svg = svg.replace("Fira Code", FONT)
    path.write_text(svg, encoding="utf-8")
    png = path.with_suffix(".png")
    try:
        import cairosvg
    except ImportError:
        if shutil.which("rsvg-convert"):
            subprocess.run(["rsvg-convert", "-o", str(png), str(path)], check=True)
    else:
        cairosvg.svg2png(bytestring=svg.encode(), write_to=str(png))
    print(png if png.exists() else path)


def main() -> None:
    names = [COCKPIT, *(name_of(pane) for pane in PANES)]
    sizes = {f"{width}x{height}": (width, height) for width, height in SIZES}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--states", nargs="*", choices=list(MOMENTS), default=["collecting"], metavar="STATE")
    parser.add_argument("--panes", nargs="*", choices=names, default=names, metavar="PANE")
    parser.add_argument("--size", choices=list(sizes), default="120x40")
    parser.add_argument("--ascii", action="store_true")
    args = parser.parse_args()
    folder = args.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    for state in args.states:
        asyncio.run(draw(state, args.panes, sizes[args.size], args.ascii, folder))


if __name__ == "__main__":
    main()
