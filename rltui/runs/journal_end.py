"""What a run says of itself now, from little reading: the end of its journal, however long that is."""

from __future__ import annotations

from rltui.events.episode_reward import EpisodeReward, RewardWindow, newest_window
from rltui.events.records import IterationFinished, Record, RunFinished, RunStarted
from rltui.runs.history import current_line, describe_unclean, is_beyond
from rltui.runs.journal import read_back, read_end, read_start
from rltui.runs.paths import RunPaths
from rltui.runs.recent_speed import RecentSpeed, recent_speed


class JournalEnd:
    """records: oldest first, without what was taken back. row: the newest iteration.

    header: of the newest start; first: of the run's first one. None: not known.
    """

    def __init__(self, paths: RunPaths, *, brief: bool = False) -> None:
        """brief: its reward may be over fewer episodes than there are."""
        self.records = current_line(read_end(paths.journal)) if brief else _reaching_back(paths)
        self.row = next((record for record in reversed(self.records) if isinstance(record, IterationFinished)), None)
        self.header = next((record for record in reversed(self.records) if isinstance(record, RunStarted)), None)
        beginning = read_start(paths.journal)
        self.first = next((record for record in beginning if isinstance(record, RunStarted)), self.header)

    @property
    def updated(self) -> float | None:
        """Unix seconds of the newest record; None where there is none."""
        return self.records[-1].time if self.records else None

    @property
    def unclean(self) -> str:
        """How the last session ended if it did not end cleanly, were no trainer there; empty where it did."""
        return describe_unclean(self.records) or ""

    @property
    def failure(self) -> str:
        """Why the last session ended with an error; empty where it did not."""
        ends = (record for record in reversed(self.records) if isinstance(record, RunFinished | RunStarted))
        end = next(ends, None)
        return end.reason if isinstance(end, RunFinished) and end.exit_code else ""

    @property
    def reward(self) -> EpisodeReward:
        """Over the newest episodes."""
        return newest_window(self.records).value

    @property
    def speed(self) -> RecentSpeed | None:
        return recent_speed(self.records)


def reward_so_far(paths: RunPaths, timesteps: int) -> RewardWindow:
    """Of the newest episodes at this step count, from which training goes on."""
    return RewardWindow(record for record in _reaching_back(paths) if not is_beyond(record, timesteps))


def _reaching_back(paths: RunPaths) -> list[Record]:
    """As far back as it takes to hold the episodes of the run's reward."""
    read: list[Record] = []
    counting: list[Record] = []
    for block in read_back(paths.journal):
        read = block + read
        counting = current_line(read)
        if newest_window(counting).full:
            break
    return counting
