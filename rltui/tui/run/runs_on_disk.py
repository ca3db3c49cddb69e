"""The runs of a data folder, as the comparison wants them."""

from __future__ import annotations

from rltui.runs.journal_cache import CachedJournal
from rltui.runs.paths import DataDir
from rltui.runs.saved_profile import kept_weights
from rltui.runs.summary import describe_run
from rltui.tui.run.run_brief import RunBrief


class RunsOnDisk:
    """other_run.OtherRuns, from files."""

    def __init__(self, data: DataDir) -> None:
        self._data = data

    def names(self) -> list[str]:
        """In the order of lists. Raises OSError where the folder cannot be read."""
        return list(self._data.run_names())

    def brief(self, name: str) -> RunBrief:
        """As `rltui ls` has it."""
        found = describe_run(self._data.run(name), brief=True)
        return RunBrief(name, found.state, found.phase_profile or found.profile, found.timesteps, found.updated)

    def journal(self, name: str) -> CachedJournal:
        """Of the run; one that is not there is empty."""
        return CachedJournal(self._data.run(name).journal)

    def weights(self, name: str) -> dict[str, float]:
        """Of its rewards, as the profile in its folder has them; empty where that is not known."""
        return kept_weights(self._data.run(name))
