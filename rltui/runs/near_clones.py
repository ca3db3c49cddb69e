"""Near-clones of a run: saved states that are nearly the same player, in a file of the run, as evaluations last found them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeAlias

import msgspec

from rltui import safe_io
from rltui.formatting import percent
from rltui.runs.atomic import replace_file
from rltui.runs.paths import RunPaths

NearClones: TypeAlias = Mapping[
    int, Mapping[int, float]
]  # timesteps → those of earlier states → choices that differ, 0–1

_decode = msgspec.json.Decoder(dict[int, dict[int, float]]).decode


def write_near_clones(paths: RunPaths, found: NearClones) -> None:
    """found: of each state that was compared, without any where it is no near-clone. OSError where it cannot be written."""
    replace_file(paths.near_clones, msgspec.json.encode(found))


def read_near_clones(paths: RunPaths) -> dict[int, dict[int, float]]:
    """Those; none where there is no such file, or one that cannot be read."""
    try:
        return _decode(safe_io.read_bytes(paths.near_clones))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


def clones_of(found: NearClones, timesteps: int, among: Collection[int]) -> list[tuple[float, int]]:
    """Choices that differ, and timesteps, of its near-clones among these; the nearest first."""
    earlier = found.get(timesteps, {})
    pairs = [(differ, other) for other, differ in earlier.items() if other in among]
    return sorted(
        pairs + [(near[timesteps], later) for later, near in found.items() if timesteps in near and later in among]
    )


def like_words(name: str, differ: float) -> str:
    """`like 12.5 M, 3 % of choices differ`."""
    return f"like {name}, {percent(differ)} of choices differ"
