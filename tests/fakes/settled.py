"""A program under `run_test` at rest, judged by what it has left to do.

Textual's pilot judges it by the processor's time of the whole process: 20 ms asleep three times a key, and up to a
second each time while a thread of the program works, as the cockpit's reader does.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from unittest.mock import patch

from textual.app import App, ScreenStackError
from textual.message_pump import MessagePump
from textual.pilot import Pilot, WaitForScreenTimeout

from tests.fakes.patience import patience

ROUNDS = 50  # what gives itself new work for ever is not waited for
MOMENT = 0.002  # seconds between two looks: what is put off goes by timers
KEY = 2.0  # seconds that a key may take: twice as long as it may hold the next one up


def has_work(app: App[Any]) -> bool:
    """Whether a message waits to be handled, a new size to be passed on, or a widget is about to go."""
    there = (node for node in tuple(app._registry) if node.is_running)
    waits = app.message_queue_size or app._resize_event is not None
    return bool(waits) or any(node.message_queue_size or node._pruning for node in there)


def _waits(pump: MessagePump) -> bool:
    """Whether it waits for a message, in the midst of nothing."""
    queue = pump._message_queue
    return pump._closed or pump._closing or (queue.empty() and bool(queue.ready_event._waiters))  # type: ignore[attr-defined]


async def wait_for_screen(pilot: Pilot[str], timeout: float = 30.0) -> bool:
    """In the place of `Pilot._wait_for_screen`, which sends a message to each widget to hear that those before it have been
    handled: most of what a key costs.
    """
    app, deadline, looks = pilot.app, time.monotonic() + patience(timeout), 0
    try:
        busy: list[MessagePump] = [app, *app.screen.walk_children(with_self=True)]
    except ScreenStackError:
        return False
    while True:
        await asyncio.sleep(0 if looks < ROUNDS else MOMENT)
        if app._exception is not None:
            return False
        busy, looks = [pump for pump in busy if not _waits(pump)], looks + 1
        if not busy:
            return True
        if time.monotonic() > deadline:
            raise WaitForScreenTimeout(f"at work for {timeout} s: {busy}")


async def settle(pilot: Pilot[str]) -> None:
    """Until all on the screen have handled what has come, and what came of that, and the next key may come."""
    for _ in range(ROUNDS):
        if not await pilot._wait_for_screen() or not has_work(pilot.app):
            break
        await asyncio.sleep(MOMENT)
    deadline, order = time.monotonic() + KEY, getattr(pilot.app, "_key_queue", None)
    while order is not None and order._busy and time.monotonic() < deadline and pilot.app._exception is None:
        await asyncio.sleep(MOMENT)


@asynccontextmanager
async def by_its_work(pilot: Pilot[str]) -> AsyncIterator[None]:
    """Within, the pilot goes on as soon as the program has nothing left to do."""

    async def idle(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
        await settle(pilot)

    with patch("textual.pilot.wait_for_idle", idle), patch("textual.app.wait_for_idle", idle):
        yield
