"""Ratings of a run's states by games, as its trainer last had them worked out: what pruning keeps the best by."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import msgspec

from rltui import safe_io
from rltui.runs.atomic import replace_file
from rltui.runs.meta import Meta
from rltui.runs.paths import RunPaths

_Ratings = dict[int, float]
_decoder = msgspec.json.Decoder(_Ratings)


def write_ratings(paths: RunPaths, ratings: Mapping[int, float]) -> None:
    """ratings: timesteps → lower end of the 95 % interval of its Elo. OSError where it cannot be written."""
    replace_file(paths.ratings, msgspec.json.encode(ratings))


def read_ratings(paths: RunPaths) -> dict[int, float]:
    """Those; none where there is no such file, or one that cannot be read: it is written anew with each evaluation."""
    try:
        found = _decoder.decode(safe_io.read_bytes(paths.ratings))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return {timesteps: low for timesteps, low in found.items() if math.isfinite(low)}


def best_rated(states: Iterable[Meta], ratings: Mapping[int, float]) -> Meta | None:
    """Of equals the newer one; None where none is rated."""
    rated = [meta for meta in states if meta.timesteps in ratings]
    return max(rated, key=lambda meta: (ratings[meta.timesteps], meta.commit), default=None)
