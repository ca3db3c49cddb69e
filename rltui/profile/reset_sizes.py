"""Resets that have states for some team sizes only: found before a worker meets one, which may be hours later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rltui.profile.lessons import lessons
from rltui.profile.models import Profile, ResetSection
from rltui.profile.problems import KeyPath
from rltui.profile.resolved import component
from rltui.profile.validation import Finding
from rltui.registry import build


def reset_misfits(profile: Profile) -> list[Finding]:
    """Works on a checked profile: every lesson's resets against its team sizes, each mistake once."""
    found: dict[str, Finding] = {}
    for taught in lessons(profile):
        for place, sections in _placed(profile, taught):
            for index, section in enumerate(sections):
                message = _misfit(section, taught.game.blue, taught.game.orange)
                if message:
                    path = (*place, index) if place[-1] == "resets" else place
                    found.setdefault(message, Finding(path, message, found=section.kind))
    return list(found.values())


def _placed(profile: Profile, taught: Profile) -> Iterator[tuple[KeyPath, Sequence[ResetSection]]]:
    """A lesson's resets, and where the profile says so: itself, or its curriculum."""
    resets, practice = taught.resets, taught.mechanics.resets if taught.mechanics.weight else ()
    yield ("resets",) if resets is profile.resets else ("curriculum",), resets
    yield ("mechanics", "resets") if practice is profile.mechanics.resets else ("curriculum",), practice


def _misfit(section: ResetSection, blue: int, orange: int) -> str:
    misfit: str = build(*component(section)).misfit(blue, orange)
    return f"does not fit {blue}v{orange}: {misfit}" if misfit else ""
