"""The viewer process in words: why nothing can be seen, where its match goes, whose weights it plays. Pure."""

from __future__ import annotations

from bisect import bisect_right

from rltui import formatting
from rltui.events.commands import OutputLive, ViewerLive
from rltui.events.records import CLOCK
from rltui.tui.run.condition import condition
from rltui.tui.run.model import RunSnapshot

Sentence = tuple[str, str]  # text, role

OFF = (
    "Nobody plays. <render> lets the newest weights play here, in real time and under the run's own rules, and sends the match to "
    "RocketSimVis."
)
STARTING = "The viewer starts: it loads the simulator and takes the newest weights."
CONNECTING = "The viewer plays; its picture is on the way."


def why_dark(snapshot: RunSnapshot, now: float) -> Sentence | None:
    """Why there is no match to be seen; None where the viewer plays. now: Unix seconds."""
    viewer = snapshot.viewer
    if not condition(snapshot, now).running:
        return f"The run has ended, and nobody plays. Its newest bot plays with: rltui watch {snapshot.run}", "muted"
    if viewer is None:
        return OFF, "muted"
    if viewer.state == "starting":
        return STARTING, "busy"
    if viewer.state == "failed":
        return (
            f"✗ The viewer failed: {viewer.problem}. Its trace is in the log (<log>); <render> starts it again.",
            "bad",
        )
    if not viewer.address:
        return "The viewer plays, but has no stream for this screen: the log (<log>) says why.", "warn"
    return None


def brief(viewer: ViewerLive | None) -> Sentence | None:
    """For the line of state: `rendering → 127.0.0.1:9273, 1,204 packets`; None while it is off."""
    if viewer is None:
        return None
    if viewer.state == "failed":
        return "viewer failed", "bad"
    if viewer.state == "starting":
        return "viewer starts", "busy"
    if viewer.problem:
        return f"viewer: {viewer.problem}", "warn"
    words = ", ".join(output_words(output) for output in viewer.outputs)
    troubled = any(output.problem for output in viewer.outputs)
    return f"rendering → {words}" if words else "viewer plays", "warn" if troubled else "good"


def output_words(output: OutputLive) -> str:
    """Where it goes, how much has gone there and what is wrong: `127.0.0.1:9273, 1,204 packets`."""
    if output.name == "rocketsimvis":
        words = f"{output.target}, {formatting.plural(output.sent, 'packet')}"
        return f"{words}, {output.problem}" if output.problem else words
    if output.name == "recording":
        return f"recording, {formatting.plural(output.sent, 'moment')}"
    return output.name


def weights_words(timesteps: int, age: float | None) -> str:
    """`weights of 12,431,360 timesteps, 8 s old`."""
    text = f"weights of {formatting.count(timesteps)} timesteps"
    return text if age is None else f"{text}, {formatting.age(age)} old"


def learned_at(snapshot: RunSnapshot, timesteps: int) -> float | None:
    """Unix time at which the run had done so many timesteps, by its history; None where that does not say."""
    history, header = snapshot.history, snapshot.header
    row = bisect_right(history.timesteps, timesteps, 0, history.length) - 1
    clock = history.columns.get(CLOCK)
    if row >= 0 and clock is not None and history.timesteps[row] == timesteps and clock[row] == clock[row]:
        return float(clock[row])
    return header.time if header is not None and header.timesteps == timesteps else None
