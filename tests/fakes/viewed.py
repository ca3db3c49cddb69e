"""The viewer of a real run, as its trainer, the system and its stream show it."""

from __future__ import annotations

import os
import socket

import psutil

from rltui.events import match_frames
from rltui.events.commands import ViewerLive
from rltui.supervise.control_client import ControlClient
from rltui.supervise.sockets import FrameReader
from rltui.view.viewer_process import NICE
from tests.fakes.training import Training, runs, wait_for


def viewer(training: Training) -> ViewerLive | None:
    """What the trainer says of it: by the newest live frame."""
    with ControlClient("looker", readonly=True) as client:
        client.connect(training.paths)
        live = wait_for(lambda: next((m for m in client.poll(0.05) if hasattr(m, "viewer")), None), "a live frame")
    found: ViewerLive | None = live.viewer
    return found


def playing(training: Training) -> ViewerLive:
    """Once it plays."""

    def plays() -> ViewerLive | None:
        found = viewer(training)
        return found if found is not None and found.state == "playing" else None

    return wait_for(plays, "a viewer that plays")


def viewers(training: Training) -> list[psutil.Process]:
    """The run's children of its niceness, which adds to that of whoever starts the run."""
    return [
        child for child in training.children() if runs(child) and child.nice() == min(os.nice(0) + NICE, 19)
    ]  # 19: the most there is


def frames(address: str, count: int) -> list[match_frames.Watched]:
    """So many frames of the stream at this address, or a few more."""
    reader, found = FrameReader(), list[match_frames.Watched]()
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(20)
        link.connect(address)
        while len(found) < count:
            found += [match_frames.decode(frame) for frame in reader.feed(link.recv(65_536))]
    return found


def recorded(training: Training) -> int:
    """Moments that the recording holds."""
    found = viewer(training)
    outputs = found.outputs if found is not None else []
    return next((output.sent for output in outputs if output.name == "recording"), 0)


def watched_rewards(training: Training) -> tuple[str, ...]:
    """Of the match that the viewer shows now."""
    found = viewer(training)
    assert found is not None
    return tuple(frames(found.address, 1)[-1].names)
