"""What resuming or forking from a saved state would do, from where and why, before it happens.

Reads checkpoints to the last byte, so it is asked from a thread. now: Unix seconds.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.profile.locate import STATE_FILE
from rltui.runs.inventory import CheckpointInfo
from rltui.runs.paths import DataDir, RunPaths, absolute
from rltui.runs.resolve import previous_good
from rltui.runs.resume import choose_resume
from rltui.tui.browser.library import Entry
from rltui.tui.launcher.catalog import ProfileEntry
from rltui.tui.launcher.offers import Offer, offer_at, refusal

CAMPAIGN = "with the run's campaign, from where it stood"
NOTHING_GOOD = "the run has no good state before it; launch its profile to start anew"
OWN = "with the profile that was saved with it"


@dataclass(frozen=True, slots=True)
class Start:
    """instead: what can be gone on from in its place, where the one chosen cannot be used; None where nothing can."""

    offer: Offer
    instead: Offer | None = None


def resume_start(data: DataDir, entry: Entry, now: float) -> Start:
    """Going on from this very state; a branch where it is not its run's newest."""
    if entry.info is None or entry.kind not in ("milestone", "checkpoint"):
        return Start(refusal("nothing can go on from this", "choose a milestone or a checkpoint"))
    paths = data.run(entry.run)
    offer = _resume(data, paths, entry.info, now)
    if not offer.refused or (entry.info.damage is None and entry.info.meta is not None and offer.kind == "in training"):
        return Start(offer)
    good = previous_good(paths, entry.info)
    instead = _resume(data, paths, good, now) if good else None
    return Start(replace(offer, refused=_told(offer.refused, entry), hint="" if instead else NOTHING_GOOD), instead)


def fork_offer(data: DataDir, entry: Entry, profile: ProfileEntry, now: float) -> Offer:
    """A new run of this profile that begins as the state."""
    check = profile.check
    if check is None or not check.valid or check.signature is None:
        return refusal("the profile is not valid", "mend it in your editor; it is checked again as you save")
    path = str(entry.path)
    try:
        plan = choose_resume(data, check.signature, profile=str(profile.path), mode=path, fork=True, now=now)
    except RltuiError as error:
        return refusal(_told(error.message, entry))
    title = f"start the new run {plan.run} at {plan.timesteps:,} timesteps"
    return Offer("branch", title, plan.reason, plan.warnings, profile.name, plan.run, ("--fork-from", path))


def _resume(data: DataDir, paths: RunPaths, info: CheckpointInfo, now: float) -> Offer:
    profile = kept_profile(paths, info.path)
    offer = offer_at(data, info, str(profile), now)
    how = CAMPAIGN if profile == paths.profile else OWN
    return offer if offer.refused else replace(offer, reason=f"{offer.reason}; {how}")


def kept_profile(paths: RunPaths, state: Path) -> Path:
    """With which a state was trained: the one saved with it; of a campaign the run's, since a state's is one phase alone."""
    return paths.profile if _is_campaign(paths.profile) else state / STATE_FILE


def _told(words: str, entry: Entry) -> str:
    """In the words of the screen, not of the command line."""
    path = absolute(entry.path)
    return words.replace(f"--resume {path}", entry.words).replace(f"--fork-from {path}", entry.words)


def _is_campaign(profile: Path) -> bool:
    """Whether phases follow each other in it: a state's own profile is one of them alone."""
    try:
        curriculum = tomllib.loads(safe_io.read_text(profile)).get("curriculum")
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(curriculum, dict) and bool(curriculum.get("phases"))
