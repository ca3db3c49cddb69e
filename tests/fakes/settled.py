"""A program under `run_test` at rest, judged by what it has left to do.

Textual's pilot judges it by the processor's time of the whole process: 20 ms asleep three times a key, and up to a
second each time while anything of the process works.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from textual._context import active_app
from textual.app import App, ScreenStackError
from textual.message_pump import MessagePump
from textual.pilot import Pilot, WaitForScreenTimeout
from textual.screen import Screen

from rltui.run_state.reader import RunReader
from tests.fakes.patience import patience

ROUNDS = 50  # what gives itself new work for ever is not waited for
MOMENT = 0.002  # seconds between two looks: what is put off goes by timers
DRAWINGS = 5  # what is drawn anew for ever is not waited for either
THREAD = 0.02  # seconds for a thread to do what a key has asked of it; one that waits for the test takes longer
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


async def wait_for_screen(pilot: Pilot[Any], timeout: float = 30.0) -> bool:
    """In the place of `Pilot._wait_for_screen`, which sends a message to each widget to hear that those before it have been
    handled: most of what a key costs.
    """
    return await handled(pilot.app, timeout)


async def handled(app: App[Any], timeout: float = 30.0) -> bool:
    """Wait until no widget of the screen is in the midst of a message; False where the program has failed or has no screen."""
    deadline, looks = time.monotonic() + patience(timeout), 0
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


def _waits_to_be_drawn(screen: Screen[Any]) -> bool:
    layout = screen._layout_required or screen._scroll_required or screen._recompose_required
    picture = screen._repaint_required or screen._dirty_widgets or screen._callbacks
    return bool(layout or picture) and screen.is_current and not screen.app._batch_count


def _asked(app: App[Any]) -> bool:
    """Whether a reader thread has been asked for what it has not sent yet."""
    readers = (getattr(screen, "_reader", None) for screen in app._screen_stack)
    return any(
        isinstance(reader, RunReader) and reader.is_alive() and not reader._requests.empty() for reader in readers
    )


def has_thread_at_work(app: App[Any]) -> bool:
    """Whether something is read or done beside the screen."""
    return any(worker._thread_worker and worker.is_running for worker in app.workers)


async def _wait_while(holds: Callable[[], bool], app: App[Any], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while holds() and time.monotonic() < deadline and app._exception is None:
        await asyncio.sleep(MOMENT)


async def _handle(app: App[Any]) -> None:
    """Until all on the screen have handled what has come, and what came of that, and all is drawn."""
    drawings = 0
    for _ in range(ROUNDS):
        if not await handled(app):
            break
        if drawings < DRAWINGS and _waits_to_be_drawn(app.screen):
            app.screen._on_timer_update()
            drawings += 1
        elif has_work(app):
            await asyncio.sleep(MOMENT)
        else:
            break


async def settle(app: App[Any]) -> None:
    """And the next key may come, and what threads were asked for is sent or done, unless that takes long."""
    await _handle(app)
    order = getattr(app, "_key_queue", None)
    await _wait_while(lambda: order is not None and order._busy, app, KEY)
    if _asked(app) or has_thread_at_work(app):
        await _wait_while(lambda: _asked(app), app, KEY)
        await _wait_while(lambda: has_thread_at_work(app), app, THREAD)
        await _handle(app)


async def idle(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """In the place of Textual's `wait_for_idle`."""
    await settle(active_app.get())
