"""Checkpoints that rlgym-ppo itself saved: five files, without hashes, and without observation and action table, which were code."""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path
from typing import Any

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.runs.checkpoint import MANIFEST, POLICY_FILE
from rltui.runs.meta import NAME as META
from rltui.runs.paths import NUMBER, folders

POLICY = "PPO_POLICY.pt"
CRITIC = "PPO_VALUE_NET.pt"
POLICY_OPTIMIZER = "PPO_POLICY_OPTIMIZER.pt"
CRITIC_OPTIMIZER = "PPO_VALUE_NET_OPTIMIZER.pt"
BOOK_KEEPING = "BOOK_KEEPING_VARS.json"
NAMES = (POLICY, CRITIC, POLICY_OPTIMIZER, CRITIC_OPTIMIZER, BOOK_KEEPING)
OBSERVATIONS = "obs_running_stats"  # key of the book, there with standardize_obs
LARGEST_BOOK = 1 << 20  # bytes; rlgym-ppo's file is about 1 kB, with observation statistics some 100 kB
_LARGEST = 1 << 30  # bytes of another file; Adam's state of four layers of 4096 has 400 MB
_DEEPEST, _MOST_FOLDERS = 5, 2_000  # data/checkpoints/rlgym-ppo-run-17…/5000000 is four deep
_SKIPPED = re.compile(r"\..*|__pycache__|node_modules|site-packages|lib|wandb")
_HINT = "choose another checkpoint of rlgym-ppo"


def checkpoint_at(path: Path) -> Path | None:
    """The folder itself, or of a run's folder its highest number; None where rlgym-ppo has saved nothing."""
    numbered = sorted((each for each in folders(path) if NUMBER.fullmatch(each.name)), key=lambda each: int(each.name))
    return next((each for each in (path, *reversed(numbered)) if is_theirs(each)), None)


def find_saved(root: Path, timesteps: int) -> Path | None:
    """Of so many timesteps, somewhere below a folder in which a script of theirs runs; None where there is none nearby."""
    level, seen = [root], 0
    for _ in range(_DEEPEST):
        below = [each for folder in level for each in folders(folder) if not _SKIPPED.fullmatch(each.name)]
        found = next((each for each in below if each.name == str(timesteps) and is_theirs(each)), None)
        if found is not None:
            return found
        seen += len(below)
        if seen > _MOST_FOLDERS:
            return None
        level = [each for each in below if not NUMBER.fullmatch(each.name) and not each.is_symlink()]
    return None


def read(folder: Path) -> tuple[dict[str, bytes], int]:
    """The files as `learn` takes them, and the timesteps. RltuiError names the file that is missing or wrong."""
    files: dict[str, bytes] = {}
    for name in NAMES:
        try:
            files[name] = safe_io.read_bytes(folder / name, LARGEST_BOOK if name == BOOK_KEEPING else _LARGEST)
        except OSError as error:
            raise RltuiError(f"{folder.name}/{name}: {safe_io.reason(error)}", _HINT) from error
    try:
        book = json.loads(files[BOOK_KEEPING])
        timesteps = book["cumulative_timesteps"]
        if type(timesteps) is not int or not 0 <= timesteps < 10**18:
            raise ValueError(f"key 'cumulative_timesteps': expected a whole number, found {timesteps!r:.80}")
        if OBSERVATIONS in book:
            book[OBSERVATIONS] = _frozen(book[OBSERVATIONS])
    except KeyError as error:
        raise RltuiError(f"{folder.name}/{BOOK_KEEPING}: key {error} is missing", _HINT) from error
    except (ValueError, TypeError, IndexError, RecursionError) as error:
        raise RltuiError(f"{folder.name}/{BOOK_KEEPING}: {error}", _HINT) from error
    return files | {BOOK_KEEPING: json.dumps(book).encode()}, timesteps


def is_theirs(folder: Path) -> bool:
    """One of ours that lost its manifest is damaged, and not theirs."""
    return (folder / POLICY).is_file() and not any(os.path.lexists(folder / n) for n in (MANIFEST, META, POLICY_FILE))


def _frozen(statistics: dict[str, Any]) -> dict[str, Any]:
    """What rlgym-ppo did with its statistics, as statistics: it shifted and scaled all numbers by the first one's.

    Its deviation is 1 where the first did not vary. `var` is a sum of squares. Training changes them no more.
    """
    mean, squares, count = (statistics[key] for key in ("mean", "var", "count"))
    first = [mean[0], squares[0], count]
    if not all(isinstance(x, int | float) and math.isfinite(x) for x in first):
        raise ValueError(f"key {OBSERVATIONS!r}: expected finite numbers, found {first!r:.80}")
    square = squares[0] or max(count - 1, 0)
    return statistics | {"mean": [mean[0]] * len(mean), "var": [square] * len(mean), "frozen": True}
