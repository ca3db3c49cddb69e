"""What the launcher asks of child processes, and what it keeps; tests put fakes in their place."""

from __future__ import annotations

from dataclasses import dataclass, field

from rltui.tui.checks.preflight import Preflights
from rltui.tui.checks.profile_differences import ProfileDifferences
from rltui.tui.form.reference import ReferenceReader
from rltui.tui.form.text_check import TextChecker
from rltui.tui.launcher.estimate import Measurements


@dataclass(frozen=True)
class LauncherTools:
    """reference: of all keys; texts: verdicts on edited texts; preflights: the doctor on one profile; differences: of two
    profiles; measurements: of speed, made by the doctor.
    """

    reference: ReferenceReader = field(default_factory=ReferenceReader)
    texts: TextChecker = field(default_factory=TextChecker)
    preflights: Preflights = field(default_factory=Preflights)
    differences: ProfileDifferences = field(default_factory=ProfileDifferences)
    measurements: Measurements = field(default_factory=Measurements)
