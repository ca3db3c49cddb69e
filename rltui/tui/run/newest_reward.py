"""The reward that is told of a run, from the cockpit's history: the same as `rltui ls` and milestones tell. Pure."""

from __future__ import annotations

import math

from rltui.events.episode_reward import EPISODES, FIRST_EPISODES, PART, REWARD, WINDOW, EpisodeReward, RewardWindow
from rltui.tui.run.history import History
from rltui.tui.run.model import RunSnapshot

TAKEN = (REWARD, EPISODES, FIRST_EPISODES)


def newest_reward(snapshot: RunSnapshot) -> EpisodeReward:
    """Over the newest episodes of the lesson in force."""
    history, window = snapshot.history, RewardWindow()
    begun = snapshot.lessons[-1].timesteps if snapshot.lessons else -1
    for row in range(_first_of_window(history, begun), history.length):
        paid = [key for key in history.columns if key.startswith(PART) and not math.isnan(history.columns[key][row])]
        if paid or not math.isnan(history.columns[REWARD][row]):
            window.iteration({key: history.columns[key][row] for key in TAKEN if key in history.columns}, paid)
    return window.value


def _first_of_window(history: History, begun: int) -> int:
    """The row from which on there are enough episodes; begun: timesteps at which the lesson began."""
    row, ended = history.length, 0.0
    if REWARD not in history.columns or EPISODES not in history.columns:
        return row
    while row > 0 and ended < WINDOW and history.timesteps[row - 1] > begun:
        row -= 1
        episodes = history.columns[EPISODES][row]
        ended += 0.0 if math.isnan(episodes) else episodes
    return row
