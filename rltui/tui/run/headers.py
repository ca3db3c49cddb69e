"""The headers that were in force, each from the timesteps on at which it came: a start that goes back is judged by the one
from before there. Pure.
"""

from __future__ import annotations

from rltui.events.records import ENTROPY, RATE, RunStarted

FIELDS = {RATE: "learning_rate", ENTROPY: "ent_coef"}  # of a header, which say what is in force of a setting
MOST = 256  # kept: a setting changed by hand gives a new one each time

Headers = tuple[tuple[int, RunStarted], ...]  # oldest first


def with_header(headers: Headers, timesteps: int, header: RunStarted) -> Headers:
    """In force from these timesteps on, in the place of all that came there or later; of those that came there, what an
    earlier start led to stays.
    """
    led = ((since, each) for since, each in headers if since <= timesteps)
    kept = (one for one in led if one[0] < timesteps or one[1].timesteps < header.timesteps)
    return (*kept, (timesteps, header))[-MOST:]


def header_at(headers: Headers, timesteps: int) -> RunStarted | None:
    """In force when so many timesteps had been done; None where none is known from then. A start from there has done none."""
    led = (header for since, header in reversed(headers) if since <= timesteps)
    return next((header for header in led if header.timesteps < timesteps), None)
