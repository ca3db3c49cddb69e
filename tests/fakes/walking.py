"""Random walks through the program: keys, mouse, pastes and resizes from a seed, in a world that changes meanwhile.

After each step nothing may be wrong: `Walk.go` fails with the steps that led there.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from textual import events
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget

from rltui.tui.actions import PANE_KEYS, PLACES, Place
from tests.fakes.screen_checks import LINES, what_is_wrong

Kind = Literal["key", "paste", "click", "wheel", "drag", "size", "world"]
Change = Callable[[random.Random], object]
WEIGHTS: Mapping[Kind, int] = {"key": 70, "paste": 3, "click": 9, "wheel": 3, "drag": 2, "size": 5, "world": 8}
SIZES = ((1, 1), (2, 1), (1, 3), (10, 4), (19, 5), (20, 5), (59, 14), (60, 15), (80, 24), (99, 30), (120, 40), (200, 50), (300, 100))  # fmt: skip
PASTES = (
    "漢字仮名", "e\u0301\u0302\u0303", "👩‍👩‍👧‍👦🦖", "\u202eabc\u202c שלום", "\x1b[31mred\x1b[0m\x1b]0;x\x07\x1b[2J", "a\nb\r\nc\td",
    "", "\x00\x7f\x9b31m", "[red]bo[/]", "lr 1e-4", "(", "!", "\u200b\ufeff", "\udc80", "q", "x" * 5000, "\n" * 300, "é" * 1_000_000,
)  # fmt: skip
ANYWHERE = ("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "backspace", "delete", "ctrl+c", "ctrl+u", "ctrl+p",
            "ctrl+z", "tab", "shift+tab", "enter", "escape", "space", "shift+left", "ctrl+end", "f1", "é", "漢")  # fmt: skip
PATIENCE = 5.0  # seconds for a passing state, such as a screen that is about to come


@dataclass(frozen=True)
class Step:
    """what: key, text or name of a change. x, y: shares of the screen, for "size" columns and rows. seed: of the change."""

    kind: Kind
    what: str = ""
    x: float = 0.0
    y: float = 0.0
    seed: int = 0

    def __str__(self) -> str:
        return f"{self.kind} {self.what[:20]!r} {self.x:.3g} {self.y:.3g} {self.seed}"


def keys_of(*places: Place) -> list[str]:
    """All that mean something there, to the panes too, and some letters that do not."""
    actions = [action for place in places for action in PLACES[place] if action.bound]
    actions += PANE_KEYS if "cockpit" in places else ()
    return sorted({key for action in actions for key in action.keys} | set(ANYWHERE) | set("xyjkZ.0159"))


def steps(seed: int, count: int, keys: Sequence[str], changes: Mapping[str, Change]) -> list[Step]:
    """The same for the same seed."""
    chance = random.Random(seed)
    kinds = chance.choices(list(WEIGHTS), weights=list(WEIGHTS.values()), k=count)
    return [_step(chance, kind, keys, sorted(changes)) for kind in kinds]


def _step(chance: random.Random, kind: Kind, keys: Sequence[str], changes: Sequence[str]) -> Step:
    match kind:
        case "key":
            return Step(kind, chance.choice(keys))
        case "paste":
            return Step(kind, chance.choice(PASTES))
        case "size":
            return Step(kind, "", *chance.choice(SIZES))
        case "world":
            return Step(kind, chance.choice(changes), seed=chance.randrange(1000))
        case _:
            return Step(kind, "", chance.random(), chance.random(), chance.randint(1, 3))


class Walk:
    """changes: what may become of the world, by name. acted: the actions that bindings have run, which a fixture notes."""

    def __init__(self, pilot: Pilot[str], changes: Mapping[str, Change], acted: list[tuple[str, object]]) -> None:
        self._pilot, self._app, self._changes, self._acted = pilot, pilot.app, changes, acted

    async def go(self, way: Sequence[Step]) -> None:
        """AssertionError with the way so far when something is wrong."""
        for number, step in enumerate(way):
            wrong = await self._after(step)
            assert not wrong, "\n".join([*map(str, way[max(0, number - 30) : number + 1]), wrong])

    async def _after(self, step: Step) -> str:
        """What is wrong once the step has been taken."""
        self._acted.clear()
        focused, screen = self._app.focused, self._app.screen
        await self._take(step)
        await self._pilot.pause()
        wrong = await self._wrong()
        if not wrong and step.kind == "key" and len(step.what) == 1 and isinstance(focused, LINES):
            return self._not_only_typed(focused, screen)
        return wrong

    def _not_only_typed(self, line: Widget, screen: Screen[object]) -> str:
        """What a character typed into this line of this screen has done besides; empty where that is nothing."""
        acted = [name for name, owner in self._acted if owner is not line]
        if acted:
            return f"typed into {line}, and it acted: {acted}"
        return f"typed into {line}, and {self._app.screen}" if self._app.screen is not screen else ""

    async def _wrong(self) -> str:
        """What stays wrong."""
        deadline = time.monotonic() + PATIENCE
        while (wrong := what_is_wrong(self._app)) and time.monotonic() < deadline and self._app._exception is None:
            await self._pilot.pause(0.01)
        return wrong

    async def _take(self, step: Step) -> None:
        width, height = self._app.size
        x, y = int(step.x * width), int(step.y * height)
        match step.kind:
            case "key":
                await self._pilot.press(step.what)
            case "size":
                await self._pilot.resize_terminal(int(step.x), int(step.y))
            case "paste":
                self._app.post_message(events.Paste(step.what))
            case "world":
                self._changes[step.what](random.Random(step.seed))
            case "wheel":
                self._mouse(events.MouseScrollUp if step.seed % 2 else events.MouseScrollDown, x, y, 0)
            case "drag":
                self._mouse(events.MouseDown, x, y)
                self._mouse(events.MouseMove, y % width, x % height)
                self._mouse(events.MouseUp, y % width, x % height)
            case "click":  # one, two or three at once
                for _ in range(step.seed):
                    self._mouse(events.MouseDown, x, y)
                    self._mouse(events.MouseUp, x, y)

    def _mouse(self, kind: type[events.MouseEvent], x: int, y: int, button: int = 1) -> None:
        self._app.post_message(kind(None, x, y, 0, 0, button, False, False, False, x, y))
