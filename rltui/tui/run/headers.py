"""The headers that were in force, each from the timesteps on at which it came: a start that goes back is judged by the one
from before there. Pure.
"""

from __future__ import annotations

from rltui.events.records import RunStarted

MOST = 256  # kept: a setting changed by hand gives a new one each time

Headers = tuple[tuple[int, RunStarted], ...]  # oldest first


def with_header(headers: Headers, timesteps: int, header: RunStarted) -> Headers:
    """In force from these timesteps on, in the place of all that came there or later."""
    return (*(each for each in headers if each[0] < timesteps), (timesteps, header))[-MOST:]


def header_at(headers: Headers, timesteps: int) -> RunStarted | None:
    """In force when so many timesteps had been done; None where none is known from then."""
    return next((header for since, header in reversed(headers) if since <= timesteps), None)
